import { isRunning } from './pids.ts';
import type { EngineProcess } from './types.ts';

/** Signals that end this program from outside, with the exit code that tells each: the terminal's, Ctrl-C, `kill`. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Calls `cleanUp`, which must be synchronous, however this process ends, except by SIGKILL. */
export function onAbruptEnd(cleanUp: () => void): void {
  process.once('exit', cleanUp);
  for (const [signal, code] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(code));
}

/** Ends engines at once. They run in sessions of their own, so no signal to this process reaches them. */
export function killEngines(engines: readonly EngineProcess[]): void {
  for (const { pid, startTime } of engines) {
    if (pid !== null && isRunning({ pid, startTime })) process.kill(pid, 'SIGKILL');
  }
}
