import type { Settings } from '../../shared/domain/settings.ts';
import { stopLimit } from '../../workers/stop-limit.ts';

/** Milliseconds within which the API finishes requests in flight. */
const API_GRACE = 9_000;
/** Milliseconds within which the engines stop. */
export const ENGINE_GRACE = 3_000;
/** Additional milliseconds for processes that were being started, and for kills. */
const MARGIN = 8_000;

/** Milliseconds that the API or a worker has before it is killed. Both normally end within this time. */
export function stopGrace(settings: Pick<Settings, 'WORKER_GRACE'>): number {
  return Math.max(API_GRACE, stopLimit(settings));
}

/** Milliseconds after a stop request until an `npm start` counts as stuck. */
export function stopPatience(settings: Pick<Settings, 'WORKER_GRACE'>): number {
  return stopGrace(settings) + ENGINE_GRACE + MARGIN;
}
