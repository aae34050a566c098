import type { Settings } from '../shared/domain/settings.ts';

/** Milliseconds after the grace period in which running work is aborted. */
export const SHUTDOWN_FORCE = 5000;
/** Milliseconds to close the connection after that. */
const SHUTDOWN_CLOSE = 1000;

/** Maximum milliseconds to stop all workers: grace period for running work, time to abort it, closing the connection. */
export function stopLimit(settings: Pick<Settings, 'WORKER_GRACE'>): number {
  return settings.WORKER_GRACE * 1000 + SHUTDOWN_FORCE + SHUTDOWN_CLOSE;
}
