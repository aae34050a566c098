import { SIMULATOR_BACKEND } from '../../tasks/model.ts';
import type { BackendSettings } from './backend-settings.ts';

/** Seconds for the simulator, whose measurements are instantaneous by default. */
const SIMULATOR_HEARTBEAT_TIMEOUT = 10;
/**
 * Seconds for a lab's backend, whose measurements take seconds to minutes. An outage of Temporal or the network for a minute
 * costs no measurement, and a dead worker is still detected soon enough for a night's run.
 */
const LAB_HEARTBEAT_TIMEOUT = 90;

/** Heartbeat timeouts of a backend in seconds: of one task, and the longest of all tasks. */
export interface HeartbeatTimeouts {
  of(task: string): number;
  longest: number;
}

/**
 * Seconds without a heartbeat after which a worker that measures on a backend counts as dead. The first that exists: the value of
 * the task in `backends.json`, the value of the backend there, the setting MEASURE_HEARTBEAT_TIMEOUT, the default of the kind of
 * backend.
 */
export function heartbeatTimeoutsOf(
  settings: Pick<BackendSettings, 'backends'>,
  backend: string,
  general: number | undefined,
): HeartbeatTimeouts {
  const own = settings.backends[backend]?.heartbeat_timeout;
  const byKind = backend === SIMULATOR_BACKEND ? SIMULATOR_HEARTBEAT_TIMEOUT : LAB_HEARTBEAT_TIMEOUT;
  if (typeof own === 'number') return { of: () => own, longest: own };
  const usual = own?.['default'] ?? general ?? byKind;
  return { of: (task) => own?.[task] ?? usual, longest: Math.max(usual, ...Object.values(own ?? {})) };
}
