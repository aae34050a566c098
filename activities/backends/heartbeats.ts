import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';

/** Milliseconds before the server may give an attempt up that are left for stopping its instrument, … */
const STOPPING_TIME = 3000;
/** … or this share of a short heartbeat timeout. */
const STOPPING_SHARE = 0.3;
/** Heartbeat timeouts after which the server has noticed for sure that an attempt is silent. */
const NOTICED = 2;
/** Heartbeats within the time after which silence counts: two may be lost. */
const BEATS = 3;
/** Milliseconds between two heartbeats at most: they bring the news of a cancel, however long the timeout is. */
const LONGEST_INTERVAL = 10_000;

/** Milliseconds without an answer to a heartbeat after which an instrument is stopped. */
export function silenceLimit(heartbeatTimeout: number): number {
  return heartbeatTimeout - Math.min(STOPPING_TIME, heartbeatTimeout * STOPPING_SHARE);
}

/** Milliseconds between two heartbeats. */
export function heartbeatInterval(heartbeatTimeout: number): number {
  return Math.min(silenceLimit(heartbeatTimeout) / BEATS, LONGEST_INTERVAL);
}

export interface HeartbeatDependencies {
  /** Milliseconds without a heartbeat after which the server gives this attempt up. */
  timeout: number;
  /** Sends a heartbeat and waits `deadline` milliseconds for its answer, which may be one of the client's errors. */
  send(deadline: number): Promise<void>;
  /**
   * Sends a heartbeat through the SDK. Its core ends an activity that it has not heard for the heartbeat timeout, whatever
   * was sent by other ways, and asks the server for the news of a cancel.
   */
  sendBySdk(): void;
}

/** Heartbeats of one attempt to measure. */
export interface Heartbeats {
  /** Notes a sign of life of the instrument, which goes out with the next heartbeat. */
  alive(): void;
  /** Resolves once the server has answered that it waits for this attempt; rejects with the signal's reason. */
  wanted(signal: AbortSignal): Promise<void>;
  /**
   * Aborted when the instrument must be stopped because the server has given this attempt up, or may do so before long; its
   * reason is the {@link ApplicationFailure} with which the attempt has to end.
   */
  letGo: AbortSignal;
  /** True when the worker and its instrument were alive when `letGo` was aborted, and the server was not heard. */
  isCutOff(): boolean;
  /**
   * Resolves when an attempt that was let go may end: at once, but later, or on the signal, where its instrument showed no
   * sign of life, which is for the server to notice and to count.
   */
  mayEnd(signal: AbortSignal): Promise<void>;
  end(): void;
}

/**
 * Sends heartbeats and waits for their answers. The SDK hides the answers to its own: it goes on sending into a dead
 * connection while the server lets another worker drive the same instrument.
 */
export function createHeartbeats({ timeout, send, sendBySdk }: HeartbeatDependencies): Heartbeats {
  const limit = silenceLimit(timeout);
  const begun = performance.now();
  const letGo = new AbortController();
  const answers = new EventTarget();
  /** When the last heartbeat that was answered was sent; before the first, when the attempt began. */
  let heard = begun;
  let isWanted = false;
  let isSilent = false;
  let isCutOff = false;
  let isAlive = true;
  let sending = false;

  function stop(sentence: string, type: string): void {
    end();
    letGo.abort(ApplicationFailure.nonRetryable(sentence, type));
  }

  function noteAnswer(sent: number): void {
    heard = sent;
    // The first one tells the SDK nothing: its own time counts from the begin of the attempt.
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
