import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { LockStore } from '../../shared/domain/runs/index.ts';
import { isStoreUnavailable } from '../../shared/kernel/database.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { createAttemptQueue } from './attempt-queue.ts';
import { type MeasureRequest, type MeasureResult, readMeasureResult } from './backend.ts';
import { type Heartbeats, keepHeartbeats, silenceLimit } from './heartbeats.ts';

/** Milliseconds between two tries to read the lock while the store is away. */
const LOCK_RETRY = 1000;

/** Milliseconds between two signs of life while store or instrument are waited for. */
const WAITING_HEARTBEAT = 500;

/**
 * Share of the time for stopping an instrument for which a run that was seen to hold its project counts as holding it.
 * Who saw it had an answer from the engine within the limit of silence; with this on top it asks its instrument before
 * the engine may give it up, and whoever takes the chip after it begins later still.
 */
const HELD_SHARE = 1 / 3;

/** Milliseconds, for a caller that sets none; our workflows always do. */
const DEFAULT_HEARTBEAT_TIMEOUT = 10_000;

/** What a backend came to: what it answered, or the sentence why it did not. */
export type Ended = { result: unknown; failure?: undefined } | { failure: string };

/** How a measurement hears of an abort, says that it lives, and has its answer kept. */
export interface InstrumentControl {
  signal: AbortSignal;
  heartbeat(): void;
  /** Resolves once the answer is kept, or cannot be. A backend that has to note its end calls it before. Never rejects. */
  keep(ended: Ended): Promise<void>;
}

/** A backend that runs inside our own worker. */
export interface LocalBackend {
  measure(request: MeasureRequest, control: InstrumentControl): Promise<unknown>;
}

/** What a measurement brought: an answer that fits the contract, or the sentence why there is none. */
export type Answer = { result: MeasureResult; failure: null } | { result: null; failure: string };

/** One attempt at a measurement, as the engine knows it. */
export interface Attempt {
  context: Context;
  heartbeats: Heartbeats;
  /** On which it has to let go, beside what the engine says. */
  stop?: AbortSignal;
  /** When the caller saw that the run holds its project, by `performance.now()`. */
  heldAt?: number;
  /** Given the answer before anybody else is. */
  keep?(answer: Answer): Promise<void>;
}

export type Instrument = ReturnType<typeof createInstrument>;

/**
 * Lets a backend measure: when the run still holds its project (a Reset in the engine's UI may repeat this very
 * step), the engine waits for this attempt (a request may arrive after it went to another worker), and the attempt
 * before it has let go. It stops the backend when the engine may believe it dead.
 *
 * @throws ApplicationFailure `Fenced`; `WorkerShutdown`, on which the workflow repeats the measurement.
 */
export function createInstrument(backend: LocalBackend, locks: Pick<LockStore, 'get'>) {
  const inTurn = createAttemptQueue();

  async function checkHolder(request: MeasureRequest, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const lock = await locks.get(request.project_id);
        if (
          lock?.epoch === request.epoch &&
          lock.state === 'held' &&
          lock.execution_id === request.execution_id
        )
          return;
        throw ApplicationFailure.nonRetryable(
          `Execution ${request.execution_id} does not hold the project any more; nothing was measured.`,
          failureTypes.fenced,
        );
      } catch (thrown) {
        if (!isStoreUnavailable(thrown)) throw thrown;
        // Measuring without knowing the holder is not safe, giving up is not needed.
        await wait(LOCK_RETRY, undefined, { signal });
      }
    }
  }

  /** Asks the backend, whose time counts from now. */
  async function ask(asked: MeasureRequest, attempt: Attempt, signal: AbortSignal): Promise<Answer> {
    const started = new Date();
    const deadline = new Date(started.getTime() + asked.timeout * 1000).toISOString();
    let kept: Promise<Answer> | null = null;
    const keep = (ended: Ended): Promise<Answer> => {
      kept ??= (async () => {
        const answer = answerOf(ended, started);
        await attempt.keep?.(answer);
        return answer;
      })();
      return kept;
    };
    const control: InstrumentControl = {
      signal,
      heartbeat: attempt.heartbeats.alive,
      keep: async (ended) => void (await keep(ended)),
    };
    let ended: Ended;
    try {
      ended = { result: await backend.measure({ ...asked, deadline }, control) };
    } catch (thrown) {
      if (signal.aborted || thrown instanceof ApplicationFailure) throw thrown;
      ended = { failure: messageOf(thrown) };
    }
    return keep(ended);
  }

  return async function measure(asked: MeasureRequest, attempt: Attempt): Promise<Answer> {
    const { context, heartbeats } = attempt;
    // Until the instrument is asked, which shows its own sign of life.
    const waiting = giveSigns(heartbeats);
    try {
      return await inTurn(asked.task_id, async (stop) => {
        const others = attempt.stop ? [stop, attempt.stop] : [stop];
        const signal = AbortSignal.any([context.cancellationSignal, heartbeats.letGo, ...others]);
        const timeout = timeoutOf(context);
        const heldFor = (timeout - silenceLimit(timeout)) * HELD_SHARE;
        const isHeld = attempt.heldAt !== undefined && performance.now() - attempt.heldAt < heldFor;
        await Promise.all([!isHeld && checkHolder(asked, signal), heartbeats.wanted(signal)]);
        waiting.end();
        return await ask(asked, attempt, signal);
      });
    } catch (thrown) {
      if (heartbeats.letGo.aborted) {
        // Who is told to let go was given up already.
        const others = attempt.stop ? [attempt.stop] : [];
        await heartbeats.mayEnd(AbortSignal.any([context.cancellationSignal, ...others]));
        throw heartbeats.letGo.reason;
      }
      if (thrown instanceof ApplicationFailure) throw thrown;
      if (context.cancellationSignal.aborted) {
        if (context.cancellationDetails?.workerShutdown) {
          throw ApplicationFailure.nonRetryable('The worker is stopping.', failureTypes.workerShutdown);
        }
        throw new CancelledFailure('the measurement was stopped');
      }
      throw ApplicationFailure.nonRetryable(messageOf(thrown), failureTypes.measurement);
    } finally {
      waiting.end();
    }
  };
}

/** Checked before it travels: JSON would turn a NaN into a point that was not measured. */
function answerOf(ended: Ended, started: Date): Answer {
  if (ended.failure !== undefined) return { result: null, failure: ended.failure };
  const answer = readMeasureResult(ended.result);
  return typeof answer === 'string'
    ? { result: null, failure: answer }
    : {
        result: answer.started_at === undefined ? { ...answer, started_at: started.toISOString() } : answer,
        failure: null,
      };
}

/** Gives signs of life for what shows none itself, as an instrument does, until `end`. */
export function giveSigns(heartbeats: Heartbeats): { end(): void } {
  const beating = setInterval(heartbeats.alive, WAITING_HEARTBEAT);
  return { end: () => clearInterval(beating) };
}

/** Runs `body` with such signs. */
export async function whileAlive<T>(heartbeats: Heartbeats, body: () => Promise<T>): Promise<T> {
  const signs = giveSigns(heartbeats);
  try {
    return await body();
  } finally {
    signs.end();
  }
}

/** Heartbeats of the activity that runs here. @param notBefore as {@link keepHeartbeats} takes it */
export function heartbeatsOf(context: Context, notBefore?: number): Heartbeats {
  const { client, info } = context;
  return keepHeartbeats({
    timeout: timeoutOf(context),
    notBefore,
    send: (deadline) =>
      client.withDeadline(Date.now() + deadline, () => client.activity.heartbeat(info.taskToken)),
    onNews: () => context.heartbeat(),
  });
}

function timeoutOf({ info }: Context): number {
  return info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_TIMEOUT;
}
