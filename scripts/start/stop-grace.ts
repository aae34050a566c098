import type { Settings } from '../../shared/kernel/config.ts';
import { stopLimit } from '../../workers/stop-limit.ts';

/** Milliseconds in which the API finishes what is under way. */
const API_GRACE = 9_000;
/** Milliseconds that the engines have. */
export const ENGINE_GRACE = 3_000;
/** Milliseconds for what was being started meanwhile, and for kills. */
const MARGIN = 8_000;

/** Milliseconds that the API or a worker has before it is killed: both end by themselves within it. */
export function stopGrace(settings: Pick<Settings, 'WORKER_GRACE'>): number {
  return Math.max(API_GRACE, stopLimit(settings));
}

/** Milliseconds after which an `npm start` that was asked to stop counts as stuck. */
export function stopPatience(settings: Pick<Settings, 'WORKER_GRACE'>): number {
  return stopGrace(settings) + ENGINE_GRACE + MARGIN;
}
