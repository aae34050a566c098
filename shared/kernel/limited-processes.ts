import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createFairQueue, type Share } from './fair-queue.ts';
import type { Reply } from './process-jobs.ts';

export interface ProcessLimits {
  /** Maximum number of processes. They start on demand. */
  processes: number;
  /** Maximum number of processes that one user may occupy at the same time. */
  processesPerUser: number;
  /** Maximum number of jobs waiting for a process; more are refused. */
  waiting: number;
  /** Maximum number of waiting jobs per user; more are refused. */
  waitingPerUser: number;
  /** Time limit of a job in milliseconds; then its process is killed. */
  jobMs: number;
  /** Idle time in milliseconds after which a process ends. */
  idleMs: number;
}

export interface LimitedProcesses<Job, Answer> {
  /**
   * @param signal kills the process that runs the job, or removes a waiting job from the queue
   * @throws QueueFull if too many jobs wait; ProcessJobEnded if the job was killed or its process crashed; the signal's
   *   reason if it is aborted
   */
  run(share: Share, job: Job, signal?: AbortSignal): Promise<Answer>;
  /** Kills all processes. */
  destroy(): void;
}

/** The process of a job was killed after the time limit, or crashed. */
export class ProcessJobEnded extends Error {}

/** Environment variables that child processes need. Secrets are not passed on. */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'TZ'];

/**
 * Child processes for native code that handles untrusted input. Such code runs on the thread pool of its process. A
 * separate process keeps it from blocking file reads, and only killing that process enforces the time limit.
 */
export function createLimitedProcesses<Job extends object, Answer>(
  file: URL,
  limits: ProcessLimits,
): LimitedProcesses<Job, Answer> {
  const queue = createFairQueue({
    atOnce: limits.processes,
    atOncePerUser: limits.processesPerUser,
    waiting: limits.waiting,
    waitingPerUser: limits.waitingPerUser,
  });
  const idle: { child: ChildProcess; ending: NodeJS.Timeout }[] = [];
  const all = new Set<ChildProcess>();

  function start(): ChildProcess {
    const environment = PASSED_ON.map((name) => [name, process.env[name]] as const);
    const child = fork(fileURLToPath(file), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      env: Object.fromEntries(environment.filter(([, value]) => value !== undefined)),
    });
    all.add(child);
    child.once('exit', () => forget(child));
    // Without a listener, a failure to start the child would crash this process. The job detects the failure by itself.
    child.on('error', () => forget(child));
    // An idle child must not keep this process alive.
    child.unref();
    child.channel?.unref();
    return child;
  }

  function forget(child: ChildProcess): void {
    all.delete(child);
    const at = idle.findIndex((each) => each.child === child);
    for (const { ending } of at < 0 ? [] : idle.splice(at, 1)) clearTimeout(ending);
  }

  function take(): ChildProcess {
    const kept = idle.pop();
    if (!kept) return start();
    clearTimeout(kept.ending);
    return kept.child;
  }

  function keep(child: ChildProcess): void {
    const ending = setTimeout(() => child.kill('SIGKILL'), limits.idleMs);
    ending.unref();
    idle.push({ child, ending });
  }

  function runIn(child: ChildProcess, job: Job, signal: AbortSignal | undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(limit);
        signal?.removeEventListener('abort', abort);
        child.off('message', answered).off('exit', exited).off('error', exited);
        settle();
      };
      const kill = (reason: unknown) => {
        child.kill('SIGKILL');
        end(() => reject(reason));
      };
      const abort = () => kill(signal?.reason);
      const answered = (reply: Reply<Answer>) => {
        keep(child);
        end(() => ('answer' in reply ? resolve(reply.answer) : reject(new Error(reply.error))));
      };
      const exited = () => end(() => reject(new ProcessJobEnded('the process of the job ended')));
      const limit = setTimeout(() => kill(new ProcessJobEnded('the job took too long')), limits.jobMs);
      child.on('message', answered).on('exit', exited).on('error', exited);
      signal?.addEventListener('abort', abort, { once: true });
      child.send(job, (failed) => failed && exited());
    });
  }

  return {
    run: (share, job, signal) =>
      queue.run(
        share,
        () => {
          signal?.throwIfAborted();
          return runIn(take(), job, signal);
        },
        { signal },
      ),
    destroy() {
      for (const child of all) child.kill('SIGKILL');
    },
  };
}
