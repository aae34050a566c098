import type { Readable } from 'node:stream';
import { CalibronError } from '../../shared/kernel/errors.ts';

/** Milliseconds between two looks at whether listeners may still listen. */
const JUDGE_EVERY = 5000;

/** Who listens, and by which right. */
export interface Listening {
  userId: string;
  /** Listeners of the same key are judged as one. */
  key: string;
  /** Throws a CalibronError below 500 when they may no longer listen. */
  judge(): Promise<void>;
}

export type Listeners = ReturnType<typeof createListeners>;

/**
 * Those who listen to events at the moment: so many a user, each only for as long as its right lasts.
 * @param perUser streams that one user may have open in this process
 */
export function createListeners(perUser: number) {
  const groups = new Map<string, { judge: Listening['judge']; ends: Set<AbortController> }>();
  const open = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  let again = false;

  function take(userId: string): () => void {
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
        // A store that is away says nothing about rights.
        if (!(thrown instanceof CalibronError) || thrown.status >= 500) continue;
        for (const end of [...ends]) end.abort();
      }
    }
  }

  /** One round at a time; what is asked meanwhile is one more round after it. */
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
     * Lets somebody listen, if their streams are not too many.
     * @param start makes the stream, which is to end with the signal; null for none
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

    /** Looks now whether all may still listen, because rights have changed. */
    judgeAll,
  };
}
