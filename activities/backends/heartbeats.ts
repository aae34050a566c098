import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';

/** Milliseconds that are reserved for stopping the instrument before the server may give up an attempt, … */
const STOPPING_TIME = 3000;
/** … or this share of the heartbeat timeout, if that is shorter. */
const STOPPING_SHARE = 0.3;
/** The server has certainly noticed a silent attempt after this many heartbeat timeouts. */
const NOTICED = 2;
/** Heartbeats within the silence limit, so that two of them may be lost. */
const BEATS = 3;
/** Longest interval between two heartbeats in milliseconds. Their answers report a cancellation, so it must stay short. */
const LONGEST_INTERVAL = 10_000;

/** Milliseconds without an answered heartbeat after which the instrument is stopped. */
export function silenceLimit(heartbeatTimeout: number): number {
  return heartbeatTimeout - Math.min(STOPPING_TIME, heartbeatTimeout * STOPPING_SHARE);
}

/** Milliseconds between two heartbeats. */
export function heartbeatInterval(heartbeatTimeout: number): number {
  return Math.min(silenceLimit(heartbeatTimeout) / BEATS, LONGEST_INTERVAL);
}

export interface HeartbeatDependencies {
  /** The heartbeat timeout of this attempt in milliseconds. */
  timeout: number;
  /** Sends a heartbeat and waits at most `deadline` milliseconds for its answer. Rejects with one of the client's errors. */
  send(deadline: number): Promise<void>;
  /**
   * Sends a heartbeat through the SDK. The SDK's core counts only these: it ends an activity without one for the heartbeat
   * timeout. It also learns of a cancellation this way.
   */
  sendBySdk(): void;
}

/** Heartbeats of one attempt to measure. */
export interface Heartbeats {
  /** Notes that the instrument is alive. Without such a note since the last heartbeat, none is sent. */
  alive(): void;
  /** Resolves when the server confirms that it waits for this attempt. Rejects with the signal's reason. */
  wanted(signal: AbortSignal): Promise<void>;
  /**
   * Aborted when the instrument must be stopped, because the server has given up this attempt or may do so soon. The reason is
   * the {@link ApplicationFailure} with which the attempt must end.
   */
  letGo: AbortSignal;
  /** True if `letGo` was aborted because the server could not be reached, while worker and instrument were alive. */
  isCutOff(): boolean;
  /**
   * Resolves when an attempt may end after `letGo`. That is at once, except for a silent instrument: then the attempt waits
   * until the server has noticed the missing heartbeats and counted them, or until the signal.
   */
  mayEnd(signal: AbortSignal): Promise<void>;
  end(): void;
}

/**
 * Sends heartbeats and waits for their answers. The SDK hides the answers to its own heartbeats: it keeps sending into a dead
 * connection while the server already lets another worker use the same instrument.
 */
export function createHeartbeats({ timeout, send, sendBySdk }: HeartbeatDependencies): Heartbeats {
  const limit = silenceLimit(timeout);
  const begun = performance.now();
  const letGo = new AbortController();
  const answers = new EventTarget();
  /** When the last answered heartbeat was sent; initially the start of the attempt. */
  let heard = begun;
  let isWanted = false;
  let isSilent = false;
  let isCutOff = false;
  let isAlive = true;
  let sending = false;

  function stop(message: string, type: string): void {
    end();
    letGo.abort(ApplicationFailure.nonRetryable(message, type));
  }

  function noteAnswer(sent: number): void {
    heard = sent;
    // The first heartbeat is redundant for the SDK, which counts from the start of the attempt.
    if (isWanted) sendBySdk();
    isWanted = true;
    answers.dispatchEvent(new Event('wanted'));
  }

  async function beat(): Promise<void> {
    if (sending || !isAlive) return;
    sending = true;
    isAlive = false;
    const sent = performance.now();
    try {
      await send(limit);
      noteAnswer(sent);
    } catch (thrown) {
      isAlive = true;
      if (thrown instanceof ActivityNotFoundError) {
        stop('This measurement is not wanted any more.', failureTypes.fenced);
      } else if (isNews(thrown)) {
        heard = sent;
        sendBySdk();
      }
    } finally {
      sending = false;
    }
  }

  const beating = setInterval(() => void beat(), heartbeatInterval(timeout));
  let watching = setTimeout(watch, limit);
  function watch(): void {
    const silent = performance.now() - heard;
    if (silent < limit) {
      watching = setTimeout(watch, limit - silent);
      return;
    }
    isSilent = !isAlive && !sending;
    isCutOff = !isSilent;
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
  void beat();

  return {
    alive() {
      isAlive = true;
    },
    async wanted(signal) {
      signal.throwIfAborted();
      if (isWanted) return;
      await new Promise<void>((resolve, reject) => {
        answers.addEventListener('wanted', () => resolve(), { once: true, signal });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    letGo: letGo.signal,
    isCutOff: () => isCutOff,
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
