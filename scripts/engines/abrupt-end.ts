import { isRunning } from './pids.ts';
import type { EngineProcess } from './types.ts';

/** Signals that end this program, with their exit codes: closed terminal, Ctrl-C, `kill`. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Calls `cleanUp`, which must be synchronous, when this process ends for any reason except SIGKILL. */
export function onAbruptEnd(cleanUp: () => void): void {
  process.once('exit', cleanUp);
  for (const [signal, code] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(code));
}

/** Kills engines immediately. They run in their own sessions, so signals to this process do not reach them. */
export function killEngines(engines: readonly EngineProcess[]): void {
  for (const { pid, startTime } of engines) {
    if (pid !== null && isRunning({ pid, startTime })) process.kill(pid, 'SIGKILL');
  }
}
