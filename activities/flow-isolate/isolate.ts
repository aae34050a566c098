import type { FlowAdvance } from '../../shared/domain/flows/model.ts';
import { createFairQueue } from '../../shared/kernel/fair-queue.ts';
import { FlowError, FlowStopped, runTimeError } from './flow-error.ts';
import { createIsolateThread, type IsolateThread } from './isolate-thread.ts';
import type { AdvanceRequest, FlowInput, FlowProgram, IsolateLimits } from './protocol.ts';
import { createRecentUse } from './recent-use.ts';

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

/** Options of {@link FlowIsolates.advance}. */
export interface AdvanceOptions {
  /** The user. Users share the threads equally. Default: the run counts as its own user. */
  tenant?: string;
  /** Projects of one user divide the user's share. */
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
  advance(
    key: string,
    program: FlowProgram,
    input: FlowInput,
    options?: AdvanceOptions,
  ): Promise<FlowAdvance>;
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

/**
 * Runs flows in separate threads. Tenants with heavy computations do not delay tenants whose flows mostly wait for commands:
 * tenants share the threads in a fair queue by processor time, and one thread is reserved for light tenants.
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
  const queue = createFairQueue({ atOnce: count });
  const recentUse = createRecentUse();
  /** Threads that are executing a step, or are reserved for one. */
  const taken = new Set<IsolateThread>();
  /** One for each unfinished step. Aborting it removes the step from the queue. */
  const unfinished = new Set<AbortController>();
  let closed: Error | undefined;
  let lastId = 0;

  /** Whether a thread may take a step of a run now. */
  function suits(thread: IsolateThread, key: string, party: string): boolean {
    if (recentUse.of(party) <= LIGHT) return true;
    if (thread === reserved) return false;
    const keeper = threads.find((each) => each.kept.has(key));
    return keeper === undefined || keeper === thread || keeper === reserved;
  }

  /** Takes a free thread for a step. Prefers the one with the run's isolate, to avoid re-execution, and the reserved one last. */
  function takeThread(key: string, party: string): IsolateThread | undefined {
    const suitable = threads.filter((thread) => !taken.has(thread) && suits(thread, key, party));
    const thread = suitable.find((each) => each.kept.has(key)) ?? suitable.at(-1);
    if (thread) taken.add(thread);
    return thread;
  }

  /** Runs a step on its thread. */
  async function carryOut(
    thread: IsolateThread,
    request: AdvanceRequest,
    { signal, onSpent }: AdvanceOptions,
  ): Promise<FlowAdvance> {
    if (closed) throw closed;
    if (signal?.aborted) throw new FlowStopped('the run was stopped');
    for (const other of threads) if (other !== thread) other.drop(request.key);
    const { outcome, spentMs } = await thread.run(request, signal);
    onSpent?.(spentMs);
    if (signal?.aborted) throw new FlowStopped('the run was stopped');
    if (outcome instanceof Error) throw outcome;
    if (outcome.kind === 'done') return outcome.advance;
    if (outcome.kind === 'failed') throw new FlowError(outcome.failure);
    if (outcome.kind === 'stopped') throw new FlowStopped('the run was stopped');
    throw new Error(`flow isolate: ${outcome.message}`);
  }

  // Start a thread now, so that the first run does not wait for it to load.
  threads.at(-1)?.start();

  return {
    async advance(key, program, input, advanceOptions = {}) {
      if (closed) throw closed;
      const { tenant = key, project, signal, atOnce = false, spentMs = 0 } = advanceOptions;
      if (signal?.aborted) throw new FlowStopped('the run was stopped');
      if (spentMs >= limits.runMs) throw runTimeError(program.flowName, limits);
      lastId += 1;
      const request: AdvanceRequest = { id: lastId, kind: 'advance', key, program, ...input, spentMs };
      // By project, so that a flow that computes little does not wait for heavy flows of the same user.
      const party = JSON.stringify([tenant, project]);
      const giveUp = new AbortController();
      const stop = () => giveUp.abort(new FlowStopped('the run was stopped'));
      signal?.addEventListener('abort', stop, { once: true });
      unfinished.add(giveUp);
      let thread: IsolateThread | undefined;
      let used = 0;
      const onSpent = (ms: number) => {
        used = ms;
        recentUse.add(party, ms);
        advanceOptions.onSpent?.(ms);
      };
      const step = queue.run(
        { user: tenant, project },
        async () => {
          try {
            if (!thread) throw new Error('a step of a flow has no thread');
            return await carryOut(thread, request, { signal, onSpent });
          } finally {
            if (thread) taken.delete(thread);
          }
        },
        {
          signal: giveUp.signal,
          claim: () => {
            thread = takeThread(key, party);
            return thread !== undefined;
          },
          cost: () => used,
        },
      );
      if (atOnce && !thread) giveUp.abort(new FlowStopped('other flows are computing'));
      return step.finally(() => {
        signal?.removeEventListener('abort', stop);
        unfinished.delete(giveUp);
      });
    },
    drop(key) {
      for (const thread of threads) thread.drop(key);
    },
    get size() {
      return threads.reduce((sum, { kept }) => sum + kept.size, 0);
    },
    async close() {
      const error = new Error('the flow isolates are closed');
      closed = error;
      for (const giveUp of unfinished) giveUp.abort(error);
      await Promise.all(threads.map((thread) => thread.end(error)));
    },
  };
}
