import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';

/** Milliseconds before the engine may give an attempt up that are left for stopping its instrument … */
const STOPPING_TIME = 3000;
/** … or this share of a short heartbeat time-out. */
const STOPPING_SHARE = 0.3;
/** Heartbeat time-outs after which the engine has noticed for sure that an attempt is silent. */
const NOTICED = 2;
/** Heartbeats in the time after which silence counts: two may be lost. */
const BEATS = 3;

/** Milliseconds without an answer to a heartbeat after which an instrument is stopped. */
export function silenceLimit(heartbeatTimeout: number): number {
  return heartbeatTimeout - Math.min(STOPPING_TIME, heartbeatTimeout * STOPPING_SHARE);
}

export interface HeartbeatDependencies {
  /** Milliseconds without a heartbeat after which the engine gives this attempt up. */
  timeout: number;
  /**
   * When the engine had not begun this attempt yet, by `performance.now()`, where that is known. If it is recent it counts
   * as an answered heartbeat: the engine waits for the attempt at least as long from then.
   */
  notBefore?: number | undefined;
  /** Sends a heartbeat and waits so many milliseconds for its answer, which may be one of the client's errors. */
  send(deadline: number): Promise<void>;
  /** Called when an answer says that the attempt is cancelled, paused or reset, of which the SDK knows nothing yet. */
  onNews(): void;
}

/** Heartbeats of one attempt to measure. */
export interface Heartbeats {
  /** Notes a sign of life of the instrument, which goes out with the next heartbeat. */
  alive(): void;
  /** Resolves once the engine has answered that it waits for this attempt, rejects with the signal's reason. */
  wanted(signal: AbortSignal): Promise<void>;
  /**
   * Aborted when the instrument must be stopped because the engine has given this attempt up, or may do so before
   * long; its reason is the {@link ApplicationFailure} with which the attempt has to end.
   */
  letGo: AbortSignal;
  /**
   * Resolves when an attempt that was let go may end: at once, but later, or on the signal, where its backend showed no
   * sign of life, which is for the engine to notice and to count.
   */
  mayEnd(signal: AbortSignal): Promise<void>;
  end(): void;
}

/**
 * Sends heartbeats whose answers are seen. Those of the SDK are not: it goes on sending into a dead connection, while
 * the engine lets another worker drive the same instrument.
 */
export function keepHeartbeats({ timeout, notBefore, send, onNews }: HeartbeatDependencies): Heartbeats {
  const limit = silenceLimit(timeout);
  const begun = performance.now();
  const isRecent = notBefore !== undefined && begun - notBefore < limit / BEATS;
  const letGo = new AbortController();
  const answered = new EventTarget();
  /** When the last heartbeat that was answered was sent; before the first, when the attempt began. */
  let heard = isRecent ? notBefore : begun;
  let isWanted = isRecent;
  let isSilent = false;
  let isAlive = !isRecent;
  let sending = false;

  function stop(sentence: string, type: string): void {
    end();
    letGo.abort(ApplicationFailure.nonRetryable(sentence, type));
  }

  async function beat(): Promise<void> {
    if (sending || !isAlive) return;
    sending = true;
    isAlive = false;
    const sent = performance.now();
    try {
      await send(limit);
      heard = sent;
      isWanted = true;
      answered.dispatchEvent(new Event('wanted'));
    } catch (thrown) {
      isAlive = true;
      if (thrown instanceof ActivityNotFoundError) {
        stop('This measurement is not asked for any more.', failureTypes.fenced);
      } else if (isNews(thrown)) {
        heard = sent;
        onNews();
      }
    } finally {
      sending = false;
    }
  }

  const beating = setInterval(() => void beat(), limit / BEATS);
  let watching = setTimeout(watch, heard + limit - begun);
  function watch(): void {
    const silent = performance.now() - heard;
    if (silent < limit) {
      watching = setTimeout(watch, limit - silent);
      return;
    }
    isSilent = !isAlive && !sending;
    const missing = isSilent ? 'no sign of life of its backend' : 'no answer from the engine';
    stop(
      `The worker had ${missing} for ${Math.round(silent / 100) / 10} s and stopped the instrument.`,
      failureTypes.workerShutdown,
    );
  }
  function end(): void {
    clearInterval(beating);
    clearTimeout(watching);
  }
  if (!isRecent) void beat();

  return {
    alive() {
      isAlive = true;
    },
    async wanted(signal) {
      signal.throwIfAborted();
      if (isWanted) return;
      await new Promise<void>((resolve, reject) => {
        answered.addEventListener('wanted', () => resolve(), { once: true, signal });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    letGo: letGo.signal,
    async mayEnd(signal) {
      if (!isSilent) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, heard + NOTICED * timeout - performance.now());
        const leave = () => {
          clearTimeout(timer);
          resolve();
        };
        if (signal.aborted) leave();
        else signal.addEventListener('abort', leave, { once: true });
      });
    },
    end,
  };
}

function isNews(thrown: unknown): boolean {
  return (
    thrown instanceof ActivityCancelledError ||
    thrown instanceof ActivityPausedError ||
    thrown instanceof ActivityResetError
  );
}
