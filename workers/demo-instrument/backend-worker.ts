/**
 * A Calibron backend in TypeScript: it serves `measure` for one instrument as described in docs/backend-contract.md. It
 * imports nothing from Calibron, so that a laboratory can copy this file and contract.ts and call `serveBackend` with its
 * own instrument.
 */
import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, type DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, type NativeConnectionOptions, Worker } from '@temporalio/worker';
import { CONTRACT, type MeasureRequest, type MeasureResult } from './contract.ts';

/** Milliseconds reserved for stopping the instrument before Temporal may time out an attempt, … */
const STOPPING_TIME = 3000;
/** … but at most this fraction of the heartbeat timeout. */
const STOPPING_SHARE = 0.3;
/** Maximum milliseconds between heartbeats. Their answers report cancellation. */
const LONGEST_INTERVAL = 10_000;
/** Default in milliseconds if a request has no heartbeat timeout. */
const USUAL_HEARTBEAT_TIMEOUT = 10_000;
/** Time limit of one attempt to deliver a result, and pause between attempts, in milliseconds. */
const DELIVERY = { limit: 5000, pause: 500 };
/** Maximum number of results, and of tasks with disconnected attempts, kept in memory. */
const MAX_KEPT = 500;
/** Milliseconds that a stopping worker gives the instrument to stop. */
const STOP_LIMIT = 8000;

/** The laboratory's own driver. */
export interface Instrument {
  /**
   * Measures.
   * @param signal aborted when the instrument must stop; the promise must settle only after the instrument has stopped, and
   * what it resolves to then is not kept
   * @throws an error whose message is shown with the task
   */
  measure(request: MeasureRequest, signal: AbortSignal): Promise<MeasureResult>;
}

/** A finished measurement. It also answers a repetition of the same request. */
interface KeptResult {
  request: object;
  attempt: number;
  started_at: string;
  finished_at: string;
  result: (MeasureResult & { started_at: string; finished_at: string }) | null;
  failure: string | null;
}

/** The parts of a request that identify it, without times, attempt number and deadline. */
function sameRequest(request: MeasureRequest): object {
  const {
    task_id,
    pass = 1,
    task_name,
    targets,
    input_parameters,
    target_parameters,
    run_parameters,
  } = request;
  return JSON.parse(
    JSON.stringify({
      task_id,
      pass,
      task_name,
      targets,
      input_parameters,
      target_parameters,
      run_parameters,
    }),
  );
}

/** Finished measurements, kept until their delivery is confirmed: in memory, and on the shared disk if there is one. */
class Results {
  private readonly inMemory = new Map<string, KeptResult>();

  private static fileOf({ task_id, pass = 1 }: MeasureRequest): string {
    return `${task_id}_${pass}.json`;
  }

  private static folderOf({ artifact_dir }: MeasureRequest): string {
    return join(artifact_dir, 'results_to_deliver');
  }

  async find(request: MeasureRequest): Promise<KeptResult | null> {
    const file = Results.fileOf(request);
    const kept: KeptResult | null =
      this.inMemory.get(file) ??
      (await readFile(join(Results.folderOf(request), file), 'utf8')
        .then(JSON.parse)
        .catch(() => null));
    return kept !== null && isDeepStrictEqual(kept.request, sameRequest(request)) ? kept : null;
  }

  async keep(request: MeasureRequest, kept: KeptResult): Promise<void> {
    const file = Results.fileOf(request);
    this.inMemory.set(file, kept);
    for (const oldest of this.inMemory.keys()) {
      if (this.inMemory.size <= MAX_KEPT) break;
      this.inMemory.delete(oldest);
    }
    const folder = Results.folderOf(request);
    try {
      await mkdir(folder).catch(() => undefined);
      // Write to a temporary name first, so that Calibron never reads a partial file. Calibron removes the recorded file.
      await writeFile(join(folder, `.${file}.partial`), JSON.stringify(kept));
      await rename(join(folder, `.${file}.partial`), join(folder, file));
    } catch {
      // No shared file system: the result is only in memory.
    }
  }
}

/** Heartbeats of one attempt with their answers. `Context.heartbeat` does not report whether Temporal has received it. */
interface Link {
  /** Resolves at the first answer. Without one, the request may already have been given to another worker. */
  established(signal: AbortSignal): Promise<void>;
  /** Aborted when the instrument must be stopped. The reason is the failure of the attempt. */
  lost: AbortSignal;
  close(): void;
}

function openLink(context: Context, cutOffAttempts: readonly number[], onCutOff: () => void): Link {
  const { client, info } = context;
  const details = { cut_off_attempts: cutOffAttempts };
  const timeout = info.heartbeatTimeoutMs ?? USUAL_HEARTBEAT_TIMEOUT;
  const limit = timeout - Math.min(STOPPING_TIME, STOPPING_SHARE * timeout);
  const lost = new AbortController();
  const closed = new AbortController();
  let isEstablished = () => {};
  const established = new Promise<void>((resolve) => {
    isEstablished = resolve;
  });
  /** When the last answered heartbeat was sent. */
  let heard = performance.now();
  const left = () => Math.max(heard + limit - performance.now(), 0);

  async function beat(): Promise<void> {
    const sent = performance.now();
    try {
      await client.withDeadline(Date.now() + left(), () =>
        client.activity.heartbeat(info.taskToken, details),
      );
      isEstablished();
    } catch (thrown) {
      if (thrown instanceof ActivityNotFoundError) {
        lost.abort(ApplicationFailure.nonRetryable('This measurement is not wanted any more.', 'Fenced'));
        return;
      }
      // These errors are answers, too: the SDK's own heartbeat below gets the same one and cancels this activity.
      const isNews = [ActivityCancelledError, ActivityPausedError, ActivityResetError].some(
        (kind) => thrown instanceof kind,
      );
      if (!isNews) return;
    }
    heard = sent;
    // The SDK times out an activity that does not heartbeat through it, even if Temporal has received heartbeats.
    context.heartbeat(details);
  }

  async function beatOn(): Promise<void> {
    const ended = AbortSignal.any([closed.signal, lost.signal]);
    while (!ended.aborted) {
      await beat();
      await wait(Math.min(limit / 3, LONGEST_INTERVAL, left()), undefined, { signal: ended }).catch(() => {});
      if (left() > 0 || ended.aborted) continue;
      onCutOff();
      lost.abort(ApplicationFailure.nonRetryable('The worker was cut off from Temporal.', 'WorkerShutdown'));
    }
  }

  void beatOn();
  return {
    async established(signal) {
      await Promise.race([established, aborted(signal)]);
      signal.throwIfAborted();
    },
    lost: lost.signal,
    close: () => closed.abort(),
  };
}

/** Resolves when a signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Delivers a result to Temporal, with retries until it is accepted. The SDK's own completion gives up after about ten
 * seconds without a network.
 * @returns the result, if Temporal no longer waits for this attempt or it was cancelled
 * @throws CompleteAsyncError when Temporal has accepted the result
 */
async function deliver(context: Context, kept: KeptResult, request: MeasureRequest): Promise<unknown> {
  const { client, info, cancellationSignal } = context;
  const isRepetition = kept.attempt !== request.attempt;
  const answer = isRepetition ? { ...kept.result, measured_in_attempt: kept.attempt } : kept.result;
  const failure = kept.failure === null ? null : ApplicationFailure.nonRetryable(kept.failure);
  while (!cancellationSignal.aborted) {
    context.heartbeat();
    try {
      await client.withDeadline(Date.now() + DELIVERY.limit, () =>
        failure
          ? client.activity.fail(info.taskToken, failure)
          : client.activity.complete(info.taskToken, answer),
      );
      throw new CompleteAsyncError();
    } catch (thrown) {
      if (thrown instanceof CompleteAsyncError) throw thrown;
      // Temporal no longer waits for this attempt. The next attempt gets the kept result.
      if (thrown instanceof ActivityNotFoundError) break;
      await wait(DELIVERY.pause, undefined, { signal: cancellationSignal }).catch(() => {});
    }
  }
  if (failure) throw failure;
  return answer;
}

export interface BackendOptions {
  /** The backend's name in Calibron. */
  backend: string;
  instrument: Instrument;
  /** Maximum number of measurements at the same time; default 1. */
  atOnce?: number;
  /** File to which a JSON line is appended when a measurement starts, ends or is aborted; default: none. */
  journal?: string | undefined;
  /** Connection to Temporal; default: Temporal's own variables (TEMPORAL_ADDRESS …) or a profile. */
  temporal?: {
    connection: NativeConnectionOptions;
    namespace: string;
    /** For encrypted data. */
    dataConverter?: DataConverter;
  };
}

/** Measures. An aborted instrument may return what it has by then, as if it had finished: that is no result. */
export async function measureToTheEnd(instrument: Instrument, request: MeasureRequest, signal: AbortSignal) {
  const result = await instrument.measure(request, signal);
  signal.throwIfAborted();
  return result;
}

/** A measurement that has not ended. */
interface Running {
  request: MeasureRequest;
  stop: AbortController;
  ended: Promise<unknown>;
}

/** Makes the activity `measure`. */
function createMeasure({ instrument, journal }: BackendOptions) {
  const results = new Results();
  const running = new Set<Running>();
  /** Epoch of the latest run that was measured, by project. */
  const epochs = new Map<string, number>();
  /** Attempts that lost their connection to Temporal, by task. */
  const cutOff = new Map<string, number[]>();

  async function note(event: 'start' | 'end' | 'abort', request: MeasureRequest, error?: string) {
    if (journal === undefined) return;
    const { project_id, execution_id, task_id, attempt, task_name, targets } = request;
    const which = { project_id, execution_id, task_id, attempt, task_name, targets };
    const entry = { event, at: new Date().toISOString(), ...which, pid: process.pid, error };
    await appendFile(journal, `${JSON.stringify(entry)}\n`);
  }

  function noteCutOff({ task_id, attempt }: MeasureRequest): void {
    cutOff.set(task_id, [...(cutOff.get(task_id) ?? []), attempt]);
    for (const oldest of cutOff.keys()) {
      if (cutOff.size <= MAX_KEPT) break;
      cutOff.delete(oldest);
    }
  }

  /** Measures and stores the result before anything else is done with it. */
  async function measureAndKeep(request: MeasureRequest, signal: AbortSignal): Promise<KeptResult> {
    const started_at = new Date().toISOString();
    let measured: MeasureResult | null = null;
    let failure: string | null = null;
    await note('start', request);
    try {
      measured = await measureToTheEnd(instrument, request, signal);
    } catch (thrown) {
      failure = thrown instanceof Error ? thrown.message : String(thrown);
      if (signal.aborted) {
        await note('abort', request, failure);
        throw thrown;
      }
    }
    const times = { started_at, finished_at: new Date().toISOString() };
    const result = measured && { ...measured, ...times };
    const kept = { request: sameRequest(request), attempt: request.attempt, ...times, result, failure };
    await results.keep(request, kept);
    await note('end', request, failure ?? undefined);
    return kept;
  }

  /** Returns the kept result or measures. Earlier attempts and runs must have ended before the call. */
  async function resultOf(request: MeasureRequest, link: Link, stop: AbortSignal): Promise<KeptResult> {
    const context = Context.current();
    const kept = await results.find(request);
    if (kept) return kept;
    const given = AbortSignal.any([context.cancellationSignal, link.lost, stop]);
    const tooLong = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      await link.established(given);
      timer = setTimeout(() => tooLong.abort(), request.timeout * 1000);
      return await measureAndKeep(request, AbortSignal.any([given, tooLong.signal]));
    } catch (thrown) {
      if (link.lost.aborted) throw link.lost.reason;
      if (context.cancellationDetails?.workerShutdown) {
        throw ApplicationFailure.nonRetryable('The worker is stopping.', 'WorkerShutdown');
      }
      if (context.cancellationSignal.aborted) throw new CancelledFailure('The measurement was stopped.');
      if (stop.aborted) throw ApplicationFailure.nonRetryable('Another attempt or run follows.', 'Fenced');
      if (tooLong.signal.aborted) {
        throw ApplicationFailure.nonRetryable(`The instrument gave no result within ${request.timeout} s.`);
      }
      throw thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  return async function measure(request: MeasureRequest): Promise<unknown> {
    if (request.contract !== CONTRACT) {
      throw ApplicationFailure.nonRetryable(`This worker speaks contract ${CONTRACT}.`);
    }
    const { project_id, task_id, epoch } = request;
    if (epoch < (epochs.get(project_id) ?? epoch)) {
      throw ApplicationFailure.nonRetryable('A later run of the project has measured here.', 'Fenced');
    }
    epochs.set(project_id, epoch);
    const context = Context.current();
    const link = openLink(context, cutOff.get(task_id) ?? [], () => noteCutOff(request));
    const before = [...running].filter(
      (each) =>
        each.request.project_id === project_id &&
        (each.request.epoch < epoch || each.request.task_id === task_id),
    );
    for (const { stop } of before) stop.abort();
    const stop = new AbortController();
    const result = Promise.all(before.map(({ ended }) => ended)).then(() =>
      resultOf(request, link, stop.signal),
    );
    const own: Running = { request, stop, ended: result.catch(() => undefined) };
    running.add(own);
    try {
      const kept = await result;
      link.close();
      return await deliver(context, kept, request);
    } finally {
      link.close();
      running.delete(own);
    }
  };
}

/** Serves a backend until the process gets SIGINT or SIGTERM. */
export async function serveBackend(options: BackendOptions): Promise<void> {
  const { connection: way, namespace, dataConverter } = options.temporal ?? usualWay();
  const connection = await NativeConnection.connect(way);
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: `backend:${options.backend}`,
    activities: { measure: createMeasure(options) },
    // By default, an instrument makes one measurement at a time.
    maxConcurrentActivityTaskExecutions: options.atOnce ?? 1,
    maxHeartbeatThrottleInterval: STOPPING_TIME,
    defaultHeartbeatThrottleInterval: STOPPING_TIME,
    shutdownForceTime: STOP_LIMIT,
    ...(dataConverter && { dataConverter }),
  });
  try {
    await worker.run();
  } finally {
    await connection.close();
  }
}

function usualWay(): NonNullable<BackendOptions['temporal']> {
  const { connectionOptions, namespace = 'calibron' } = loadClientConnectConfig();
  return { connection: { address: '127.0.0.1:7233', ...connectionOptions }, namespace };
}
