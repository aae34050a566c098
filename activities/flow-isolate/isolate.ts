import { Worker } from 'node:worker_threads';
import type { FlowAdvance } from '../../shared/domain/flows/model.ts';
import { compiledModule } from '../../shared/kernel/package-root.ts';
import { FlowError, flowMessage } from './flow-error.ts';
import type { FlowInput, FlowProgram, IsolateLimits, ThreadReply, ThreadRequest } from './protocol.ts';

export { FlowError } from './flow-error.ts';
export type { FlowContext, FlowErrorReason, FlowProgram, FlowSeed, TimedAnswer } from './protocol.ts';

export interface FlowIsolateOptions {
  /** Milliseconds of script between two answers. Default 2,000. */
  timeMs?: number;
  /** Milliseconds over `timeMs` after which a script that hears no interruption is ended with its thread. Default 2,000. */
  graceMs?: number;
  /** Bytes of memory of one isolate, at least 32 MB. Default 64 MB. */
  memoryBytes?: number;
  /** Isolates kept for runs that go on; the least recently advanced is dropped first. Default 4. */
  kept?: number;
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
   * Rejects with FlowError when the flow is to blame; any other error may be retried.
   */
  advance(key: string, program: FlowProgram, input: FlowInput): Promise<FlowAdvance>;
  /** Lets the isolate of a run go that will not be advanced again. */
  drop(key: string): void;
  /** Isolates kept at the moment. */
  readonly size: number;
  /** Ends the thread; unfinished calls reject. */
  close(): Promise<void>;
}

/** Milliseconds for a new thread to load its code, also on a busy machine. */
const THREAD_START_MS = 30_000;
/** More than the deepest script stack needs (`SCRIPT_STACK`), so that QuickJS meets its own limit first. */
const THREAD_STACK_MB = 16;

interface Job {
  id: number;
  key: string;
  flowName: string;
  text: string;
  resolve: (advance: FlowAdvance) => void;
  reject: (error: Error) => void;
}

interface Thread {
  worker: Worker;
  ready: boolean;
}

/**
 * Runs flows in one thread of their own, one step at a time: a script that loops, or hangs inside QuickJS, costs
 * the thread, never the worker's heartbeats.
 */
export function createFlowIsolates(options: FlowIsolateOptions = {}): FlowIsolates {
  const limits: IsolateLimits = {
    timeMs: options.timeMs ?? 2000,
    memoryBytes: options.memoryBytes ?? 64 * 1024 * 1024,
    kept: options.kept ?? 4,
  };
  const graceMs = options.graceMs ?? 2000;

  const waiting: Job[] = [];
  const kept = new Set<string>();
  let thread: Thread | undefined;
  let running: Job | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;
  let closed = false;

  function post(request: ThreadRequest): void {
    thread?.worker.postMessage(JSON.stringify(request));
  }

  function next(): void {
    if (running !== undefined) return;
    running = waiting.shift();
    if (running === undefined) {
      thread?.worker.unref();
      return;
    }
    thread ??= startThread();
    thread.worker.ref();
    if (thread.ready) begin(running);
    else limit(THREAD_START_MS, () => new Error('the thread for flows does not start'));
  }

  function begin(job: Job): void {
    // Creating an instance is not the flow's time; the thread tells when its script begins.
    limit(THREAD_START_MS, () => new Error('the thread for flows does not answer'));
    thread?.worker.postMessage(job.text);
  }

  function finish(settle: (job: Job) => void): void {
    clearTimeout(timer);
    timer = undefined;
    const job = running;
    running = undefined;
    if (job !== undefined) settle(job);
    next();
  }

  /** Ends the thread when nothing is heard for so long; kept isolates are executed again when needed. */
  function limit(milliseconds: number, error: () => Error): void {
    clearTimeout(timer);
    const watched = setTimeout(() => {
      // Were this process itself held up, what the thread has said meanwhile is read before this goes on.
      setImmediate(() => {
        if (timer !== watched) return;
        const failure = error();
        endThread();
        finish((job) => job.reject(failure));
      });
    }, milliseconds);
    timer = watched;
  }

  function endThread(): Promise<unknown> {
    const ended = thread?.worker;
    thread = undefined;
    kept.clear();
    ended?.removeAllListeners();
    // A thread under termination may still report an error; nobody waits for it any more.
    ended?.on('error', () => {});
    return ended?.terminate() ?? Promise.resolve();
  }

  function timeoutError(job: Job, line: number | undefined): FlowError {
    const where = line === undefined ? 'before its first stage or wait' : `after the command of line ${line}`;
    const message = `the flow computed for more than ${limits.timeMs / 1000} s ${where}`;
    return new FlowError({
      reason: 'time',
      message: flowMessage(job.flowName, undefined, message),
      entries: [],
    });
  }

  function startThread(): Thread {
    const worker = new Worker(compiledModule('activities/flow-isolate/thread.ts'), {
      workerData: limits,
      // What the process was started with (a test runner's hooks) is not the thread's business.
      execArgv: [],
      resourceLimits: { stackSizeMb: THREAD_STACK_MB },
      name: 'flows',
    });
    const started: Thread = { worker, ready: false };
    worker.on('message', (text: string) => onReply(started, JSON.parse(text)));
    const failed = (error: Error) => {
      if (thread !== started) return;
      endThread();
      finish((job) => job.reject(error));
    };
    worker.on('error', failed);
    worker.on('exit', (code) => failed(new Error(`the thread for flows ended with code ${code}`)));
    return started;
  }

  function onReply(from: Thread, reply: ThreadReply): void {
    if (from !== thread) return;
    if (reply.kind === 'ready') {
      from.ready = true;
      if (running !== undefined) begin(running);
      return;
    }
    const job = running;
    if (job === undefined || job.id !== reply.id) return;
    if (reply.kind === 'running') {
      limit(limits.timeMs + graceMs, () => timeoutError(job, reply.line));
      return;
    }
    kept.clear();
    for (const key of reply.kept) kept.add(key);
    finish(() => {
      if (reply.kind === 'done') job.resolve(reply.advance);
      else if (reply.kind === 'failed') job.reject(new FlowError(reply.failure));
      else job.reject(new Error(`flow isolate: ${reply.message}`));
    });
  }

  // A thread takes some 300 ms to load; the first run need not wait for that.
  thread = startThread();
  thread.worker.unref();

  return {
    advance(key, program, input) {
      if (closed) return Promise.reject(new Error('the flow isolates are closed'));
      return new Promise((resolve, reject) => {
        const id = ++lastId;
        const request: ThreadRequest = { id, kind: 'advance', key, program, ...input };
        const { flowName } = program;
        waiting.push({ id, key, flowName, text: JSON.stringify(request), resolve, reject });
        next();
      });
    },
    drop(key) {
      kept.delete(key);
      post({ kind: 'drop', key });
    },
    get size() {
      return kept.size;
    },
    async close() {
      closed = true;
      const ended = endThread();
      const error = new Error('the flow isolates are closed');
      for (const job of waiting.splice(0)) job.reject(error);
      if (running !== undefined) finish((job) => job.reject(error));
      await ended;
    },
  };
}
