import type { Readable } from 'node:stream';
import { CalibronError } from '../../shared/kernel/errors.ts';
import type { UserId } from '../../shared/kernel/ids.ts';

/** Milliseconds between two access checks of the open streams. */
const JUDGE_EVERY = 5000;

/** A listener and the check of its access rights. */
export interface Listening {
  userId: UserId;
  /** Listeners with the same key share one check. */
  key: string;
  /** Throws a CalibronError with a status below 500 if the listener no longer has access. */
  judge(): Promise<void>;
}

export type Listeners = ReturnType<typeof createListeners>;

/**
 * The open event streams. Limits their number per user, and ends streams that lose their access.
 * @param perUser maximum number of open streams per user in this process
 */
export function createListeners(perUser: number) {
  const groups = new Map<string, { judge: Listening['judge']; ends: Set<AbortController> }>();
  const open = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  let again = false;

  function take(userId: UserId): () => void {
    const mine = open.get(userId) ?? 0;
    if (mine >= perUser) {
      throw new CalibronError(
        'too_many_requests',
        `You have ${mine} event streams open, the most that are allowed; close one first.`,
        { retryAfter: 5 },
      );
    }
    open.set(userId, mine + 1);
    return () => {
      const left = (open.get(userId) ?? 1) - 1;
      if (left > 0) open.set(userId, left);
      else open.delete(userId);
    };
  }

  function join({ key, judge }: Listening): { revoked: AbortSignal; leave: () => void } {
    const end = new AbortController();
    const group = groups.get(key) ?? { judge, ends: new Set<AbortController>() };
    groups.set(key, group);
    group.ends.add(end);
    timer ??= setInterval(judgeAll, JUDGE_EVERY);
    const leave = () => {
      group.ends.delete(end);
      if (group.ends.size === 0 && groups.get(key) === group) groups.delete(key);
      if (groups.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
    return { revoked: end.signal, leave };
  }

  async function judgeEach(): Promise<void> {
    for (const { judge, ends } of [...groups.values()]) {
      try {
        await judge();
      } catch (thrown) {
        // An unavailable store does not mean that access was revoked.
        if (!(thrown instanceof CalibronError) || thrown.status >= 500) continue;
        for (const end of [...ends]) end.abort();
      }
    }
  }

  /** Runs one round of checks at a time. Requests during a round cause one more round after it. */
  function judgeAll(): void {
    if (round) {
      again = true;
      return;
    }
    round = judgeEach().finally(() => {
      round = null;
      if (!again) return;
      again = false;
      judgeAll();
    });
  }

  return {
    /**
     * Admits a listener, unless its user has too many open streams.
     * @param start creates the stream, which must end when the signal aborts; null for no stream
     * @throws too_many_requests
     */
    async admit<Stream extends Readable>(
      listening: Listening,
      start: (revoked: AbortSignal) => Promise<Stream | null>,
    ): Promise<Stream | null> {
      const giveBack = take(listening.userId);
      const { revoked, leave } = join(listening);
      const forget = () => {
        leave();
        giveBack();
      };
      const stream = await start(revoked).catch((thrown) => {
        forget();
        throw thrown;
      });
      if (stream) stream.once('close', forget);
      else forget();
      return stream;
    },

    /** Checks all listeners now, because rights have changed. */
    judgeAll,
  };
}
