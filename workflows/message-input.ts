/**
 * What arrives as the input of a signal or an update. Anybody can send anything by hand, and a handler that fails on it
 * fails its workflow task, which is retried for ever: so nothing is taken for what it should be.
 */
import type { ControlRequest } from '../shared/domain/executions/status-rules.ts';
import type { RunControl } from '../shared/domain/runs/run-model.ts';

/** Characters of a name that are kept: it is shown wherever the run is. */
const NAME_LIMIT = 200;
/** Of whom the engine does not tell us the name. */
const NOBODY = 'an operator';

function fieldOf(given: unknown, name: string): unknown {
  if (typeof given !== 'object' || given === null) return undefined;
  return Object.getOwnPropertyDescriptor(given, name)?.value;
}

function textOf(given: unknown, name: string): string | null {
  const value = fieldOf(given, name);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Who asks, by the field `by`. */
export function requesterOf(given: unknown): string {
  return textOf(given, 'by')?.slice(0, NAME_LIMIT) ?? NOBODY;
}

/** Who asks, and by which request. */
export function askedBy(given: unknown): Pick<ControlRequest, 'by' | 'request'> {
  const request = textOf(given, 'request')?.slice(0, NAME_LIMIT);
  return { by: requesterOf(given), ...(request !== undefined && { request }) };
}

/** An answer to a question of a flow, as far as it is given. */
export function replyOf(given: unknown): { index: number | null; answer: string | null; by: string } {
  const index = fieldOf(given, 'index');
  return {
    index: typeof index === 'number' ? index : null,
    answer: textOf(given, 'answer'),
    by: requesterOf(given),
  };
}

function requestOf(value: unknown): ControlRequest | null | undefined {
  if (value === null) return null;
  const by = textOf(value, 'by');
  const at = textOf(value, 'at');
  return by === null || at === null ? undefined : { by, at };
}

/** What a run tells its stage; null for anything else. */
export function controlOf(given: unknown): RunControl | null {
  const paused = requestOf(fieldOf(given, 'paused'));
  const stopping = requestOf(fieldOf(given, 'stopping'));
  if (paused === undefined || stopping === undefined) return null;
  return { paused, stopping, changed_at: textOf(given, 'changed_at') };
}
