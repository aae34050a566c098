import type { FlowAdvance } from '../../shared/domain/flows/model.ts';
import { FlowError, FlowStopped, runTimeError } from './flow-error.ts';
import { createIsolateThread, type IsolateThread } from './isolate-thread.ts';
import type { AdvanceRequest, FlowInput, FlowProgram, IsolateLimits } from './protocol.ts';
import { createTurns } from './turns.ts';

export { FlowError, FlowStopped } from './flow-error.ts';
export type { FlowContext, FlowErrorReason, FlowProgram, FlowSeed, TimedAnswer } from './protocol.ts';

export interface FlowIsolateOptions {
  /** Maximum number of threads. Default 1. */
  threads?: number;
  /** Limit of the script's processor time between two answers, in milliseconds. Default 2,000. */
  timeMs?: number;
  /** Limit of the script's processor time in a whole run, in milliseconds. Default 60,000. */
  runMs?: number;
  /** Milliseconds beyond `timeMs` after which a script that ignores interruption is killed with its thread. Default 2,000. */
  graceMs?: number;
  /** Memory limit of one isolate in bytes, at least 32 MB. Default 64 MB. */
  memoryBytes?: number;
  /** Maximum number of isolates kept for continuing runs; the least recently advanced is evicted. Default 64, in 1 GB. */
  kept?: number;
}

/** Options of a request for a flow's step. */
export interface Asking {
  /** The user. Users take turns by their recent processor time. Default: the run counts as its own user. */
  tenant?: string;
  /** Projects of one user take turns in the same way. */
  project?: string;
  /** Processor time that the run has already used, in milliseconds. */
  spentMs?: number;
  /** Do not wait for other flows: if no thread is free, the request counts as aborted. */
  atOnce?: boolean;
  /** Aborted when the step is no longer needed; its place in the queue and its thread are then freed. */
  signal?: AbortSignal | undefined;
  /** Called with the step's processor time in ms, even if the step fails. */
  onSpent?(ms: number): void;
}

export interface FlowIsolates {
  /**
   * The flow's next command after `answers`, or its end. `issued` are the commands requested so far, in order; the flow
   * must request the same ones again. If there is a kept isolate under `key` (the run), it continues. Otherwise the flow
   * is executed from its start with the recorded answers, with the same result. Repeated calls give the same result. Only
   * one call per `key` at a time makes sense.
   *
   * The `entries` of the result are those since the previous command, each with its number in the run. The caller stores
   * them by that number.
   *
   * Rejects with FlowError for an error of the flow, and with FlowStopped if aborted. Any other error may be retried.
   */
  advance(key: string, program: FlowProgram, input: FlowInput, asking?: Asking): Promise<FlowAdvance>;
  /** Drops the isolate of a run that will not be advanced again. */
  drop(key: string): void;
  /** Number of kept isolates. */
  readonly size: number;
  /** Terminates the threads; unfinished calls reject. */
  close(): Promise<void>;
}

/** Limit of the address space of all kept isolates in bytes. Each reserves at least 16 MB, but most use only a few. */
const KEPT_BYTES = 1024 * 1024 * 1024;
/**
 * Recent processor time in milliseconds up to which a tenant counts as light. If there are several threads, one is reserved
 * for light tenants. Their flows are executed again on another thread rather than waiting for the one with their isolate.
 */
const LIGHT = 250;

/** Default number of threads for a machine with this many cores. With two threads, one is reserved for light tenants. */
export function flowThreads(cores: number): number {
  return Math.min(Math.max(2, cores - 1), 4);
}

interface Job extends Asking {
  tenant: string;
  request: AdvanceRequest;
  resolve(advance: FlowAdvance): void;
  reject(error: Error): void;
}

/**
 * Runs flows in separate threads. Tenants with heavy computations do not delay tenants whose flows mostly wait for commands:
 * the tenant with the least recent processor time comes first, and one thread is reserved for light tenants.
 */
export function createFlowIsolates(options: FlowIsolateOptions = {}): FlowIsolates {
  const count = options.threads ?? 1;
  const limits: IsolateLimits = {
    timeMs: options.timeMs ?? 2000,
    runMs: options.runMs ?? 60_000,
    memoryBytes: options.memoryBytes ?? 64 * 1024 * 1024,
    kept: Math.ceil((options.kept ?? 64) / count),
    keptBytes: KEPT_BYTES / count,
  };
  const threads = Array.from({ length: count }, () => createIsolateThread(limits, options.graceMs ?? 2000));
  const reserved = count > 1 ? threads[0] : undefined;
  const turns = createTurns();
  let waiting: Job[] = [];
  let lastId = 0;
  let closed = false;

  /** Whether a thread may take a job now. */
  function suits(thread: IsolateThread, { tenant, project, request: { key } }: Job): boolean {
    // By project: a user's flow that hardly computes does not wait for those of the same user that do.
    if (turns.used({ tenant, ...(project !== undefined && { project }) }) <= LIGHT) return true;
    if (thread === reserved) return false;
    const keeper = threads.find((each) => each.kept.has(key));
    return keeper === undefined || keeper === thread || keeper === reserved;
  }

  function next(): void {
    const free = threads.filter((thread) => !thread.isBusy);
    for (const job of turns.ordered(waiting)) {
      // Prefer the thread with the run's isolate, to avoid re-execution; take the reserved thread last.
      const suitable = free.filter((thread) => suits(thread, job));
      const thread = suitable.find((each) => each.kept.has(job.request.key)) ?? suitable.at(-1);
      if (thread === undefined) continue;
      free.splice(free.indexOf(thread), 1);
      waiting = waiting.filter((one) => one !== job);
      void carryOut(thread, job);
    }
  }

  async function carryOut(thread: IsolateThread, job: Job): Promise<void> {
    const { request, signal, onSpent } = job;
    for (const other of threads) if (other !== thread) other.drop(request.key);
    const { outcome, spentMs } = await thread.run(request, signal);
    turns.note(job, spentMs);
    onSpent?.(spentMs);
    if (signal?.aborted) job.reject(new FlowStopped('the run was stopped'));
    else if (outcome instanceof Error) job.reject(outcome);
    else if (outcome.kind === 'done') job.resolve(outcome.advance);
    else if (outcome.kind === 'failed') job.reject(new FlowError(outcome.failure));
    else if (outcome.kind === 'stopped') job.reject(new FlowStopped('the run was stopped'));
    else job.reject(new Error(`flow isolate: ${outcome.message}`));
    next();
  }

  // Start a thread now, so that the first run does not wait for it to load.
  threads.at(-1)?.start();

  return {
    advance(key, program, input, asking = {}) {
      if (closed) return Promise.reject(new Error('the flow isolates are closed'));
      const { signal, atOnce = false, spentMs = 0 } = asking;
      if (signal?.aborted) return Promise.reject(new FlowStopped('the run was stopped'));
      if (spentMs >= limits.runMs) return Promise.reject(runTimeError(program.flowName, limits));
      return new Promise((resolve, reject) => {
        const id = ++lastId;
        const request: AdvanceRequest = { id, kind: 'advance', key, program, ...input, spentMs };
        const job: Job = { tenant: key, ...asking, request, resolve, reject };
        const giveUp = (why: string) => {
          if (!waiting.includes(job)) return;
          waiting = waiting.filter((one) => one !== job);
          reject(new FlowStopped(why));
        };
        signal?.addEventListener('abort', () => giveUp('the run was stopped'), { once: true });
        waiting.push(job);
        next();
        if (atOnce) giveUp('other flows compute');
      });
    },
    drop(key) {
      for (const thread of threads) thread.drop(key);
    },
    get size() {
      return threads.reduce((sum, { kept }) => sum + kept.size, 0);
    },
    async close() {
      closed = true;
      const error = new Error('the flow isolates are closed');
      for (const job of waiting.splice(0)) job.reject(error);
      await Promise.all(threads.map((thread) => thread.end(error)));
    },
  };
}
