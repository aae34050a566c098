import { SIMULATOR_BACKEND } from '../../tasks/model.ts';
import type { BackendSettings } from './backend-settings.ts';

/** Seconds for the simulator, whose measurements take no time unless a setting says otherwise. */
const SIMULATOR_HEARTBEAT_TIMEOUT = 10;
/**
 * Seconds for a lab's backend, whose measurements take seconds to minutes: with it an outage of Temporal or of the network
 * for a minute costs no measurement, and a dead worker is noticed soon enough for a night's run.
 */
const LAB_HEARTBEAT_TIMEOUT = 90;

/** The timeouts of a backend in seconds: of one task, or of the task with the longest one. */
export interface HeartbeatTimeouts {
  of(task: string): number;
  longest: number;
}

/**
 * Seconds without a heartbeat after which a worker that measures on a backend counts as dead: what `backends.json` says of
 * the task, of the backend, the setting MEASURE_HEARTBEAT_TIMEOUT, the default of the kind of backend, in this order.
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
