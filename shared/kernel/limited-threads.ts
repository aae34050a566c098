import { Piscina } from 'piscina';
import { createFairQueue, type Share } from './fair-queue.ts';
import { NOT_TAKEN, type Sent } from './limited-work.ts';
import { processorClock } from './thread-time.ts';

export interface ThreadLimits {
  /** Threads at most; they start when they are needed. */
  threads: number;
  /** Threads that one user may occupy at the same time. Default: all. */
  threadsPerUser?: number;
  /** Jobs that wait for a thread; more are refused. */
  waiting: number;
  /** Jobs of one user that wait; more are refused. Default: no limit of its own. */
  waitingPerUser?: number;
  /** Milliseconds of processor time for one job. */
  processorMs: number;
  /** Megabytes of a thread's objects. */
  memoryMb: number;
  /** Milliseconds without work after which a thread ends. */
  idleMs: number;
}

export interface LimitedThreads<Job, Answer> {
  /** @throws QueueFull when too many wait, JobOverLimit when it needed too much time or memory */
  run(share: Share, job: Job): Promise<Answer>;
  /** The same with a job that is made when a thread is free, so that what it holds in memory is bounded as well. */
  runMade(share: Share, make: () => Promise<Job>): Promise<Answer>;
  /** Ends all threads. */
  destroy(): Promise<void>;
}

/** A job needed more processor time or memory than it may; its thread was ended. */
export class JobOverLimit extends Error {}

/** Milliseconds between two looks at a thread's processor time. */
const LOOK = 50;

/**
 * Threads for work on what strangers wrote: what needs endless time or memory ends its thread, not the process. Users
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
    // What the process was started with (a test runner's hooks) is not the thread's business.
    execArgv: [],
  });
  // Without a listener a thread that dies between two jobs would end the process; the next job gets a new thread.
  pool.on('error', () => {});

  // Jobs wait here: a pool whose thread was ended forgets those that wait in it.
  const queue = createFairQueue({
    atOnce: limits.threads,
    atOncePerUser: limits.threadsPerUser,
    waiting: limits.waiting,
    waitingPerUser: limits.waitingPerUser,
  });

  /** Aborts a job that has had its time, counted from when a thread took it. */
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
