import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../shared/kernel/package-root.ts';
import { processorClock } from '../../shared/kernel/thread-time.ts';
import { FlowError, flowMessage } from './flow-error.ts';
import type { AdvanceRequest, IsolateLimits, ThreadReply, ThreadRequest, ThreadSetup } from './protocol.ts';

/** Milliseconds for a new thread to load its code, also on a busy machine. */
const THREAD_START_MS = 60_000;
/** More than the deepest script stack needs (`SCRIPT_STACK`), so that QuickJS meets its own limit first. */
const THREAD_STACK_MB = 16;
/** Milliseconds between two looks at a thread that computes. */
const LOOK = 100;
/** Milliseconds of processor time in which a thread that is told to stop does so by itself. */
const STOP_GRACE = 500;

type Outcome = Extract<ThreadReply, { kind: 'done' | 'failed' | 'stopped' | 'broken' }>;

/** How a request ended, and what it cost of processor time in ms. An error: the thread is ended. */
interface Ended {
  outcome: Outcome | Error;
  spentMs: number;
}

/** A request that a thread has, and what is known of it. */
interface Job {
  request: AdvanceRequest;
  settle(outcome: Outcome | Error): void;
  /** Milliseconds of processor time so far. */
  spentMs(): number;
  /** Nobody waits for it any more. */
  isStopped: boolean;
}

export type IsolateThread = ReturnType<typeof createIsolateThread>;

/**
 * A thread in which flows run, one step at a time. A script that loops or hangs costs the thread, which is ended and
 * started again when there is work, never the worker's heartbeats.
 */
export function createIsolateThread(limits: IsolateLimits, graceMs: number) {
  let worker: Worker | undefined;
  let threadId = 0;
  let isReady = false;
  let kept = new Set<string>();
  let running: Job | undefined;
  let watching: NodeJS.Timeout | undefined;
  const stop = new Int32Array(new SharedArrayBuffer(4));

  function post(request: ThreadRequest): void {
    worker?.postMessage(JSON.stringify(request));
  }

  /** Looks at the thread until nothing is heard for too long; kept isolates are executed again when needed. */
  function watch(isOver: () => Error | null): void {
    clearInterval(watching);
    const mine = setInterval(() => {
      // Were this process itself held up, what the thread has said meanwhile is read before this goes on.
      setImmediate(() => {
        const failure = watching === mine ? isOver() : null;
        if (failure === null) return;
        void end();
        finish(failure);
      });
    }, LOOK);
    watching = mine;
  }

  function watchClock(milliseconds: number, sentence: string): void {
    const limit = performance.now() + milliseconds;
    watch(() => (performance.now() > limit ? new Error(sentence) : null));
  }

  function finish(outcome: Outcome | Error): void {
    clearInterval(watching);
    watching = undefined;
    const job = running;
    running = undefined;
    worker?.unref();
    job?.settle(outcome);
  }

  function end(): Promise<unknown> {
    const ended = worker;
    worker = undefined;
    isReady = false;
    threadId = 0;
    kept = new Set();
    ended?.removeAllListeners();
    // A thread under termination may still report an error; nobody waits for it any more.
    ended?.on('error', () => {});
    return ended?.terminate() ?? Promise.resolve();
  }

  function start(): void {
    const setup: ThreadSetup = { limits, stop };
    const started = new Worker(compiledModule('activities/flow-isolate/thread.ts'), {
      workerData: setup,
      // What the process was started with (a test runner's hooks) is not the thread's business.
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

  function begin(job: Job): void {
    job.spentMs = processorClock(threadId);
    // Creating an instance is not the flow's time; the thread tells when its script begins.
    watchClock(THREAD_START_MS, 'the thread for flows does not answer');
    post(job.request);
  }

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
      // What is stopped has little time, whatever it does meanwhile.
      if (job.isStopped) return;
      const spent = processorClock(threadId);
      watch(() => (spent() > limits.timeMs + graceMs ? timeoutError(job, reply.line) : null));
      return;
    }
    kept = new Set(reply.kept);
    finish(reply);
  }

  function timeoutError({ request }: Job, line: number | undefined): FlowError {
    const where = line === undefined ? 'before its first stage or wait' : `after the command of line ${line}`;
    const message = `the flow computed for more than ${limits.timeMs / 1000} s ${where}`;
    const { flowName } = request.program;
    return new FlowError({ reason: 'time', message: flowMessage(flowName, undefined, message), entries: [] });
  }

  return {
    get isBusy() {
      return running !== undefined;
    },

    /** Runs whose isolates it keeps. */
    get kept(): ReadonlySet<string> {
      return kept;
    },

    /** Starts it, so that the first request need not wait for that (some 300 ms). */
    start(): void {
      if (worker === undefined) start();
    },

    /** Carries a request out; one at a time. */
    run(request: AdvanceRequest, signal?: AbortSignal): Promise<Ended> {
      return new Promise((settle) => {
        const stopIt = () => {
          job.isStopped = true;
          Atomics.store(stop, 0, request.id);
          const spent = processorClock(threadId);
          watch(() => (spent() > STOP_GRACE ? new Error('the flow was stopped') : null));
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
        else watchClock(THREAD_START_MS, 'the thread for flows does not start');
        signal?.addEventListener('abort', stopIt, { once: true });
      });
    },

    /** Lets the isolate of a run go. */
    drop(key: string): void {
      if (kept.delete(key)) post({ kind: 'drop', key });
    },

    /** Ends the thread; what it does is rejected. */
    async end(error: Error): Promise<void> {
      const ended = end();
      finish(error);
      await ended;
    },
  };
}
