import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../shared/kernel/package-root.ts';
import { processorClock } from '../../shared/kernel/thread-time.ts';
import { FlowError, flowMessage } from './flow-error.ts';
import type { AdvanceRequest, IsolateLimits, ThreadReply, ThreadRequest, ThreadSetup } from './protocol.ts';
import { createThreadWatch } from './thread-watch.ts';

/** Time limit in milliseconds for a new thread to load its code, sufficient even on a busy machine. */
const THREAD_START_MS = 60_000;
/** More than the deepest script stack needs (`SCRIPT_STACK`), so that QuickJS meets its own limit first. */
const THREAD_STACK_MB = 16;
/** Milliseconds of processor time within which a thread must stop after a request. */
const STOP_GRACE = 500;

type Outcome = Extract<ThreadReply, { kind: 'done' | 'failed' | 'stopped' | 'broken' }>;

/** Result of a request, and its processor time in ms. After an error, the thread is terminated. */
interface Ended {
  outcome: Outcome | Error;
  spentMs: number;
}

/** The current request of a thread, with its state. */
interface Job {
  request: AdvanceRequest;
  settle(outcome: Outcome | Error): void;
  /** Milliseconds of processor time so far. */
  spentMs(): number;
  /** True if its result is no longer needed. */
  isStopped: boolean;
}

export type IsolateThread = ReturnType<typeof createIsolateThread>;

/**
 * A thread in which flows run, one step at a time. If a script loops or hangs, the thread is terminated, and started again
 * when there is work. The worker's heartbeats are never affected.
 */
export function createIsolateThread(limits: IsolateLimits, graceMs: number) {
  let worker: Worker | undefined;
  let threadId = 0;
  let isReady = false;
  let kept = new Set<string>();
  let running: Job | undefined;
  const stop = new Int32Array(new SharedArrayBuffer(4));
  /** Terminates the thread if it takes too long. Its lost isolates are executed again when needed. */
  const watcher = createThreadWatch((reason) => {
    void end();
    finish(reason);
  });

  /** Sends a message to the thread. */
  function post(request: ThreadRequest): void {
    worker?.postMessage(JSON.stringify(request));
  }

  /** Ends the current request. */
  function finish(outcome: Outcome | Error): void {
    watcher.end();
    const job = running;
    running = undefined;
    worker?.unref();
    job?.settle(outcome);
  }

  /** Terminates the thread. */
  function end(): Promise<unknown> {
    const ended = worker;
    worker = undefined;
    isReady = false;
    threadId = 0;
    kept = new Set();
    ended?.removeAllListeners();
    // A thread being terminated may still report an error, which no longer matters.
    ended?.on('error', () => {});
    return ended?.terminate() ?? Promise.resolve();
  }

  /** Starts a thread; it reports when it is ready. */
  function start(): void {
    const setup: ThreadSetup = { limits, stop };
    const started = new Worker(compiledModule('activities/flow-isolate/thread.ts'), {
      workerData: setup,
      // Threads must not inherit command-line options of the process, such as a test runner's hooks.
      execArgv: [],
      resourceLimits: { stackSizeMb: THREAD_STACK_MB },
      name: 'flows',
    });
    worker = started;
    started.unref();
    started.on('message', (text: string) => {
      if (worker === started) onReply(JSON.parse(text));
    });
    const failed = (error: Error) => {
      if (worker !== started) return;
      void end();
      finish(error);
    };
    started.on('error', failed);
    started.on('exit', (code) => failed(new Error(`the thread for flows ended with code ${code}`)));
  }

  /** Gives a request to the thread, which is ready. */
  function begin(job: Job): void {
    job.spentMs = processorClock(threadId);
    // Creating an instance does not count as the flow's time; the thread reports when the script starts.
    watcher.watchClock(THREAD_START_MS, 'the thread for flows does not answer');
    post(job.request);
  }

  /** Handles a message of the thread. */
  function onReply(reply: ThreadReply): void {
    if (reply.kind === 'ready') {
      isReady = true;
      threadId = reply.threadId;
      if (running?.isStopped) finish(new Error('the flow was stopped'));
      else if (running !== undefined) begin(running);
      return;
    }
    const job = running;
    if (job === undefined || job.request.id !== reply.id) return;
    if (reply.kind === 'running') {
      // A stopped request keeps its short time limit, whatever it reports meanwhile.
      if (job.isStopped) return;
      const spent = processorClock(threadId);
      watcher.watch(() =>
        spent() > limits.timeMs + graceMs ? timeoutError(job, limits.timeMs, reply.line) : null,
      );
      return;
    }
    kept = new Set(reply.kept);
    finish(reply);
  }

  return {
    /** Runs whose isolates the thread keeps. */
    get kept(): ReadonlySet<string> {
      return kept;
    },

    /** Starts the thread in advance, so that the first request does not wait for it (about 300 ms). */
    start(): void {
      if (worker === undefined) start();
    },

    /** Runs a request; only one at a time. */
    run(request: AdvanceRequest, signal?: AbortSignal): Promise<Ended> {
      return new Promise((settle) => {
        const stopIt = () => {
          job.isStopped = true;
          Atomics.store(stop, 0, request.id);
          const spent = processorClock(threadId);
          watcher.watch(() => (spent() > STOP_GRACE ? new Error('the flow was stopped') : null));
        };
        const job: Job = {
          request,
          spentMs: () => 0,
          isStopped: false,
          settle(outcome) {
            signal?.removeEventListener('abort', stopIt);
            settle({ outcome, spentMs: job.spentMs() });
          },
        };
        running = job;
        if (worker === undefined) start();
        worker?.ref();
        if (isReady) begin(job);
        else watcher.watchClock(THREAD_START_MS, 'the thread for flows does not start');
        signal?.addEventListener('abort', stopIt, { once: true });
      });
    },

    /** Drops the isolate of a run. */
    drop(key: string): void {
      if (kept.delete(key)) post({ kind: 'drop', key });
    },

    /** Terminates the thread and rejects its current request. */
    async end(error: Error): Promise<void> {
      const ended = end();
      finish(error);
      await ended;
    },
  };
}

/** The error of a flow that computed for too long. @param line of its last command */
function timeoutError({ request }: Job, timeMs: number, line: number | undefined): FlowError {
  const where = line === undefined ? 'before its first stage or wait' : `after the command of line ${line}`;
  const message = `the flow computed for more than ${timeMs / 1000} s ${where}`;
  const { flowName } = request.program;
  return new FlowError({ reason: 'time', message: flowMessage(flowName, undefined, message), entries: [] });
}
