import { isRunning, type ProcessIdentity, stopProcess } from '../engines/pids.ts';
import type { Report } from '../engines/types.ts';
import type { DataDirectory, ServiceName } from './data-directory.ts';
import { parentNpm, runningProcesses } from './process-table.ts';
import { ENGINE_GRACE } from './stop-grace.ts';

/**
 * Maximum time in ms between two signals of a single Ctrl-C. The terminal sends one to every process, and npm
 * forwards its own.
 */
const DOUBLE_SIGNAL_MS = 500;
const PARENT_LOOK_MS = 1_000;
/**
 * Stops services, then engines. The data is kept.
 * @param graceMs time limit for a service
 * @returns the number of stopped processes
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
  /** Aborts at the same time. */
  signal: AbortSignal;
}

/**
 * Converts the first Ctrl-C, SIGTERM, SIGHUP or loss of the parent npm into a stop request. A second Ctrl-C kills
 * everything immediately.
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

/** Detects SIGTERM of npm: npm ends the shell between npm and this process, and the shell forwards no signal. */
function onLossOfShell(onLoss: () => void): void {
  const parent = process.ppid;
  const npm = parentNpm();
  if (npm === null || npm.pid === parent) return;
  setInterval(() => {
    if (process.ppid !== parent) onLoss();
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
