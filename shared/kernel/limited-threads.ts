import { Piscina } from 'piscina';
import { createFairQueue, type Share } from './fair-queue.ts';
import { NOT_TAKEN, type Sent } from './limited-work.ts';
import { processorClock } from './thread-time.ts';

export interface ThreadLimits {
  /** Maximum number of threads. They start on demand. */
  threads: number;
  /** Maximum number of threads that one user may occupy at the same time. Default: all. */
  threadsPerUser?: number;
  /** Maximum number of jobs waiting for a thread; more are refused. */
  waiting: number;
  /** Maximum number of waiting jobs per user; more are refused. Default: no limit per user. */
  waitingPerUser?: number;
  /** Processor time limit of a job in milliseconds. */
  processorMs: number;
  /** Heap limit of a thread in megabytes. */
  memoryMb: number;
  /** Idle time in milliseconds after which a thread ends. */
  idleMs: number;
}

export interface LimitedThreads<Job, Answer> {
  /** @throws QueueFull if too many jobs wait; JobOverLimit if the job needed too much time or memory */
  run(share: Share, job: Job): Promise<Answer>;
  /** The same, but the job is created only when a thread is free, which limits the memory that waiting jobs need. */
  runMade(share: Share, make: () => Promise<Job>): Promise<Answer>;
  /** Ends all threads. */
  destroy(): Promise<void>;
}

/** A job exceeded its limit of processor time or memory, and its thread was terminated. */
export class JobOverLimit extends Error {}

/** Milliseconds between checks of a thread's processor time. */
const LOOK = 50;

/**
 * Threads for work on untrusted input. A job that uses too much time or memory ends only its thread, not the process. Users
 * share the threads equally.
 */
export function createLimitedThreads<Job, Answer>(
  file: URL,
  limits: ThreadLimits,
): LimitedThreads<Job, Answer> {
  const pool = new Piscina<Sent<Job>, Answer>({
    filename: file.href,
    minThreads: 0,
    maxThreads: limits.threads,
    idleTimeout: limits.idleMs,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 32 },
    // Threads must not inherit command-line options of the process, such as a test runner's hooks.
    execArgv: [],
  });
  // Without a listener, a thread that dies between jobs would crash the process. The next job gets a new thread.
  pool.on('error', () => {});

  // Jobs wait here and not in the pool, because the pool drops its waiting jobs when one of its threads is terminated.
  const queue = createFairQueue({
    atOnce: limits.threads,
    atOncePerUser: limits.threadsPerUser,
    waiting: limits.waiting,
    waitingPerUser: limits.waitingPerUser,
  });

  /** Aborts a job that has used up its time, counted from when a thread took it. */
  function watch(threadId: Int32Array, tooLong: AbortController): NodeJS.Timeout {
    let spent: (() => number) | undefined;
    return setInterval(() => {
      const id = Atomics.load(threadId, 0);
      if (id === NOT_TAKEN) return;
      spent ??= processorClock(id);
      if (spent() > limits.processorMs) tooLong.abort();
    }, LOOK);
  }

  function runMade(share: Share, make: () => Promise<Job>): Promise<Answer> {
    return queue.run(share, async () => runNow(await make()));
  }

  async function runNow(job: Job): Promise<Answer> {
    const threadId = new Int32Array(new SharedArrayBuffer(4)).fill(NOT_TAKEN);
    const tooLong = new AbortController();
    const watching = watch(threadId, tooLong);
    try {
      return await pool.run({ job, threadId }, { signal: tooLong.signal });
    } catch (thrown) {
      if (tooLong.signal.aborted || isOutOfMemory(thrown)) throw new JobOverLimit('over its limit');
      throw thrown;
    } finally {
      clearInterval(watching);
    }
  }

  return {
    run: (share, job) => runMade(share, async () => job),
    runMade,
    destroy: () => pool.destroy(),
  };
}

function isOutOfMemory(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
