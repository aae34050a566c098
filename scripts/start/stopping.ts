import { isRunning, type ProcessIdentity, stopProcess } from '../engines/pids.ts';
import type { Report } from '../engines/types.ts';
import type { DataDirectory, ServiceName } from './data-directory.ts';
import { parentNpm, runningProcesses } from './process-table.ts';
import { ENGINE_GRACE } from './stop-grace.ts';

/**
 * What may pass between two signals of one Ctrl-C: the terminal sends one to every process, npm passes its own
 * on.
 */
const DOUBLE_SIGNAL_MS = 500;
const PARENT_LOOK_MS = 1_000;
/**
 * Stops services, then engines; the data stays.
 * @param graceMs how long a service may take
 * @returns how many processes were stopped
 */
export async function stopAll(directory: DataDirectory, graceMs: number): Promise<number> {
  const steps: { names: readonly ServiceName[]; graceMs: number }[] = [
    { names: ['api', 'worker', 'instrument', 'updater'], graceMs },
    { names: ['temporal', 'mongodb'], graceMs: ENGINE_GRACE },
  ];
  let stopped = 0;
  for (const { names, graceMs } of steps) {
    const running = runningProcesses(directory, names);
    stopped += running.length;
    const ends = await Promise.all(running.map((each) => stopProcess(each, graceMs)));
    const left = running.filter((_, index) => !ends[index]);
    if (left.length > 0) throw new Error(`pid ${left.map(({ pid }) => pid).join(', ')} cannot be stopped`);
  }
  return stopped;
}

export interface StopRequest {
  /** Resolves at the first request to stop. */
  asked: Promise<void>;
  /** Aborted at the same moment. */
  signal: AbortSignal;
}

/**
 * Turns the first Ctrl-C, SIGTERM, hang-up or loss of the npm above into a request to stop, and the second
 * Ctrl-C into an end of everything at once.
 */
export function watchForStop(directory: DataDirectory, report: Report): StopRequest {
  const controller = new AbortController();
  let askedAt: number | null = null;
  const asked = new Promise<void>((resolve) => {
    const ask = () => {
      if (askedAt === null) {
        askedAt = Date.now();
        report('stopping; Ctrl-C again ends everything at once');
        controller.abort();
        resolve();
      } else if (Date.now() - askedAt > DOUBLE_SIGNAL_MS) {
        report('ending everything at once');
        for (const each of runningProcesses(directory)) kill(each);
        process.exit(130);
      }
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, ask);
    onLossOfShell(() => {
      if (askedAt === null) ask();
    });
  });
  return { asked, signal: controller.signal };
}

/** npm ends the shell between us on SIGTERM, and the shell passes nothing on. */
function onLossOfShell(tell: () => void): void {
  const parent = process.ppid;
  const npm = parentNpm();
  if (npm === null || npm.pid === parent) return;
  setInterval(() => {
    if (process.ppid !== parent) tell();
  }, PARENT_LOOK_MS).unref();
}

function kill(each: ProcessIdentity): void {
  if (!isRunning(each)) return;
  try {
    process.kill(each.pid, 'SIGKILL');
  } catch {
    // it ended meanwhile
  }
}
