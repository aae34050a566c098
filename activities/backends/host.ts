import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import type { KeptResult } from '../../shared/domain/runs/kept-result-model.ts';
import { diskProblemOf } from '../../shared/kernel/disk-errors.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { type MeasureRequest, measureRequest, readMeasureResult } from './backend.ts';
import { deliver, type Ended } from './delivery.ts';
import { createHeartbeats, type Heartbeats, heartbeatInterval } from './heartbeats.ts';
import { createWorkerResults, sameRequestKey } from './kept-results.ts';
import { createTurns, Outdated } from './turns.ts';

/** Milliseconds between two signs of life while an attempt waits for its turn. */
const WAITING_HEARTBEAT = 500;

/** Milliseconds, used if the caller sets no heartbeat timeout. Calibron's workflows always set one. */
const DEFAULT_HEARTBEAT_TIMEOUT = 10_000;

/** Tasks for which a worker remembers attempts during which the server could not be reached. */
const REMEMBERED_TASKS = 1000;

/** What an instrument gets beside the request: an abort signal, and functions to show that it is alive and to keep its answer. */
export interface InstrumentControl {
  signal: AbortSignal;
  heartbeat(): void;
  /**
   * Resolves when the outcome of the measurement is kept. An instrument that also records its end elsewhere calls this first.
   * Never rejects.
   */
  keep(ended: Ended): Promise<void>;
}

/** A driver of a real instrument, or the simulator. */
export interface Instrument {
  measure(request: MeasureRequest, control: InstrumentControl): Promise<unknown>;
}

/**
 * The `measure` activity of a backend's worker. It needs only Temporal.
 *
 * - The instrument starts only when the server has confirmed that it waits for this attempt, the previous attempt has stopped,
 *   and no later run of the project has measured here. It is stopped before the server may consider this worker dead.
 * - The outcome of a measurement is kept before it is delivered. A later attempt at the same request returns it, marked with
 *   the attempt that measured: the answer was lost, the measurement was not.
 *
 * @throws ApplicationFailure `MeasurementError` with the instrument's message; `OutOfSpace` if a disk
 * takes no more data; `Fenced` when nothing waits for the measurement
 * any more; `WorkerShutdown`, after which the workflow repeats the measurement
 */
export function createMeasureActivity(instrument: Instrument) {
  const inTurn = createTurns();
  const results = createWorkerResults();
  /** By task, the attempts during which the server could not be reached although this worker was alive. */
  const cutOff = new LRUCache<string, readonly number[]>({ max: REMEMBERED_TASKS });

  /** Runs the measurement, whose time limit starts now, and keeps its outcome. */
  async function ask(request: MeasureRequest, heartbeats: Heartbeats, signal: AbortSignal): Promise<Ended> {
    const started = new Date();
    const deadline = new Date(started.getTime() + request.timeout * 1000).toISOString();
    let keeping: Promise<Ended> | undefined;
    const keep = (ended: Ended): Promise<Ended> => {
      keeping ??= keepOnce(ended);
      return keeping;
    };
    async function keepOnce(given: Ended): Promise<Ended> {
      const finished = new Date();
      const ended = checked(given, started, finished);
      const kept: KeptResult = {
        request: sameRequestKey(request),
        attempt: request.attempt,
        ...ended,
        started_at: started.toISOString(),
        finished_at: finished.toISOString(),
      };
      await results.keep(request, kept);
      return ended;
    }
    const control: InstrumentControl = {
      signal,
      heartbeat: heartbeats.alive,
      keep: async (ended) => {
        if (!isOutOfSpace(ended.failure)) await keep(ended);
      },
    };
    try {
      return await keep({
        result: await instrument.measure({ ...request, deadline }, control),
        failure: null,
      });
    } catch (thrown) {
      if (signal.aborted || thrown instanceof ApplicationFailure) throw thrown;
      const failure = messageOf(thrown);
      if (!isOutOfSpace(failure)) return keep({ result: null, failure });
      // An instrument that could not note its end elsewhere has still measured.
      if (keeping) return keeping;
      throw ApplicationFailure.nonRetryable(failure, failureTypes.outOfSpace);
    }
  }

  async function measureInTurn(
    context: Context,
    request: MeasureRequest,
    heartbeats: Heartbeats,
  ): Promise<Ended> {
    const waiting = startSigns(heartbeats);
    try {
      return await inTurn(request, async (stop) => {
        // The previous attempt may have finished while this one waited for it.
        const kept = await results.find(request);
        if (kept) return fromKept(kept);
        const signal = AbortSignal.any([context.cancellationSignal, heartbeats.letGo, stop]);
        await heartbeats.wanted(signal);
        waiting.end();
        return await ask(request, heartbeats, signal);
      });
    } finally {
      waiting.end();
    }
  }

  /** The failure of an attempt that has no answer. */
  async function failureOf(
    thrown: unknown,
    { context, heartbeats, request }: { context: Context; heartbeats: Heartbeats; request: MeasureRequest },
  ): Promise<unknown> {
    const { cancellationSignal, cancellationDetails } = context;
    if (heartbeats.letGo.aborted) {
      if (heartbeats.isCutOff()) {
        cutOff.set(request.task_id, [...(cutOff.get(request.task_id) ?? []), request.attempt]);
      }
      await heartbeats.mayEnd(cancellationSignal);
      return heartbeats.letGo.reason;
    }
    if (thrown instanceof ApplicationFailure) return thrown;
    if (thrown instanceof Outdated)
      return ApplicationFailure.nonRetryable(thrown.message, failureTypes.fenced);
    if (cancellationSignal.aborted) {
      return cancellationDetails?.workerShutdown
        ? ApplicationFailure.nonRetryable('The worker is stopping.', failureTypes.workerShutdown)
        : new CancelledFailure('the measurement was stopped');
    }
    return ApplicationFailure.nonRetryable(messageOf(thrown), failureTypes.measurement);
  }

  return async function measure(input: MeasureRequest): Promise<unknown> {
    const context = Context.current();
    const request = measureRequest.parse(input);
    const heartbeats = heartbeatsOf(context, { cut_off_attempts: cutOff.get(request.task_id) ?? [] });
    const startedAt = performance.now();
    let ended: Ended;
    try {
      ended = await measureInTurn(context, request, heartbeats);
    } catch (thrown) {
      throw await failureOf(thrown, { context, heartbeats, request });
    } finally {
      heartbeats.end();
    }
    const interval = heartbeatInterval(timeoutOf(context));
    return deliver(context, ended, { took: performance.now() - startedAt, interval });
  };
}

/** Whether a measurement failed because a disk takes no more data. It is repeated once there is space. */
function isOutOfSpace(failure: string | null): boolean {
  return failure !== null && diskProblemOf(failure) !== null;
}

/** Checks an answer before it is serialized: JSON would turn NaN into null, which means "not measured". */
function checked(ended: Ended, started: Date, finished: Date): Ended {
  if (ended.failure !== null) return ended;
  const answer = readMeasureResult(ended.result);
  if (typeof answer === 'string') return { result: null, failure: answer };
  const times = { started_at: started.toISOString(), finished_at: finished.toISOString() };
  return { result: { ...times, ...answer }, failure: null };
}

/** Turns a kept result into an answer, marked with the attempt that measured it. */
function fromKept({ result, failure, attempt }: KeptResult): Ended {
  if (failure !== null) return { result: null, failure };
  const isObject = typeof result === 'object' && result !== null;
  return { result: isObject ? { ...result, measured_in_attempt: attempt } : result, failure: null };
}

/** Shows signs of life on behalf of an instrument that has not started yet, until `end` is called. */
function startSigns(heartbeats: Heartbeats): { end(): void } {
  const beating = setInterval(heartbeats.alive, WAITING_HEARTBEAT);
  return { end: () => clearInterval(beating) };
}

function heartbeatsOf(context: Context, details: { cut_off_attempts: readonly number[] }): Heartbeats {
  const { client, info } = context;
  return createHeartbeats({
    timeout: timeoutOf(context),
    send: (deadline) =>
      client.withDeadline(Date.now() + deadline, () => client.activity.heartbeat(info.taskToken, details)),
    sendBySdk: () => context.heartbeat(details),
  });
}

function timeoutOf({ info }: Context): number {
  return info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_TIMEOUT;
}
