import type { Settings } from '../shared/kernel/config.ts';

/** Milliseconds beyond the grace of a stop after which it is carried out whatever still runs. */
export const SHUTDOWN_FORCE = 5000;
/** Milliseconds in which the connection is closed after that. */
const SHUTDOWN_CLOSE = 1000;

/** Milliseconds in which all workers have stopped: the grace for what runs, the time to abort it, the connection. */
export function stopLimit(settings: Pick<Settings, 'WORKER_GRACE'>): number {
  return settings.WORKER_GRACE * 1000 + SHUTDOWN_FORCE + SHUTDOWN_CLOSE;
}
