import type { FlowAdvance } from '../../shared/domain/flows/model.ts';
import { FlowError, FlowStopped, runTimeError } from './flow-error.ts';
import { createIsolateThread, type IsolateThread } from './isolate-thread.ts';
import type { AdvanceRequest, FlowInput, FlowProgram, IsolateLimits } from './protocol.ts';
import { createTurns } from './turns.ts';

export { FlowError, FlowStopped } from './flow-error.ts';
export type { FlowContext, FlowErrorReason, FlowProgram, FlowSeed, TimedAnswer } from './protocol.ts';

export interface FlowIsolateOptions {
  /** Threads at most. Default 1. */
  threads?: number;
  /** Milliseconds of processor time of script between two answers. Default 2,000. */
  timeMs?: number;
  /** Milliseconds of processor time of script in all of a run. Default 60,000. */
  runMs?: number;
  /** Milliseconds over `timeMs` after which a script that hears no interruption is ended with its thread. Default 2,000. */
  graceMs?: number;
  /** Bytes of memory of one isolate, at least 32 MB. Default 64 MB. */
  memoryBytes?: number;
  /** Isolates kept for runs that go on; the least recently advanced is dropped first. Default 64, in 1 GB. */
  kept?: number;
}

/** Who asks for a step of a flow, beside the flow itself. */
export interface Asking {
  /** Users that compute have turns by what they have used lately. Default: the run alone. */
  tenant?: string;
  /** Projects of one user have turns in the same way. */
  project?: string;
  /** Milliseconds of processor time that the run has had before. */
  spentMs?: number;
  /** It waits for no other flow: where no thread is free for it, it is as if it had been aborted. */
  atOnce?: boolean;
  /** Aborted when nobody waits for the step any more: it gives its place and its thread free. */
  signal?: AbortSignal | undefined;
  /** Hears what the step cost of processor time, in ms, however it ended. */
  onSpent?(ms: number): void;
}

export interface FlowIsolates {
  /**
   * The flow's next command after `answers`, or its end. `issued` are the commands asked for so far, in order;
   * the flow must ask for the same again. A kept isolate under `key` (the run) goes on from where it is; else
   * the flow is executed from its start with the recorded answers, with the same result. Asked twice, it
   * answers the same twice. Only one call per `key` at a time makes sense.
   *
   * `entries` of the result are those since the previous command, each with its number in the run: the caller
   * stores them by that number.
   *
   * Rejects with FlowError when the flow is to blame, with FlowStopped when it was aborted; any other error may be
   * retried.
   */
  advance(key: string, program: FlowProgram, input: FlowInput, asking?: Asking): Promise<FlowAdvance>;
  /** Lets the isolate of a run go that will not be advanced again. */
  drop(key: string): void;
  /** Isolates kept at the moment. */
  readonly size: number;
  /** Ends the threads; unfinished calls reject. */
  close(): Promise<void>;
}

/** Bytes of address space of all isolates that are kept: 16 MB each at least, of which most touch a few. */
const KEPT_BYTES = 1024 * 1024 * 1024;
/**
 * Milliseconds of processor time up to which a tenant counts as one that hardly computes. Where there are several threads,
 * one is for these alone; and what they have computed is rather computed again elsewhere than waited for.
 */
const LIGHT = 250;

/** Threads for a machine of so many cores: with two, one is left to those that hardly compute. */
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
 * Runs flows in threads of their own. Tenants whose flows compute do not hold up those whose flows ask for things and
 * wait: whoever has used the least processor time lately comes first, and one thread is never given to the others.
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
  function suits(thread: IsolateThread, { tenant, request: { key } }: Job): boolean {
    if (turns.used({ tenant }) <= LIGHT) return true;
    if (thread === reserved) return false;
    const keeper = threads.find((each) => each.kept.has(key));
    return keeper === undefined || keeper === thread || keeper === reserved;
  }

  function next(): void {
    const free = threads.filter((thread) => !thread.isBusy);
    for (const job of turns.ordered(waiting)) {
      // Where its isolate is, nothing is executed again; the reserved thread is the last to be taken.
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

  // The first run need not wait for a thread to load.
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
