/**
 * Parses the input of signals and updates. Users can send any input from the Temporal UI, and a handler that throws fails its
 * workflow task, which is retried forever. So no input is trusted.
 */
import type { ControlRequest } from '../shared/domain/executions/status-rules.ts';
import type { PreemptingRun, RunControl } from '../shared/domain/runs/run-model.ts';
import { isRunIdentity, isRunPolicy } from './run-input.ts';

/** Maximum length of a name, which is shown next to the run. */
const NAME_LIMIT = 200;
/** Name of a user that the engine does not identify. */
const NOBODY = 'an operator';

function fieldOf(given: unknown, name: string): unknown {
  if (typeof given !== 'object' || given === null) return undefined;
  return Object.getOwnPropertyDescriptor(given, name)?.value;
}

function textOf(given: unknown, name: string): string | null {
  const value = fieldOf(given, name);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** The user who sent the message, from its field `by`. */
export function requesterOf(given: unknown): string {
  return textOf(given, 'by')?.slice(0, NAME_LIMIT) ?? NOBODY;
}

/** The user who sent the message, and the id of the request. */
export function askedBy(given: unknown): Pick<ControlRequest, 'by' | 'request'> {
  const request = textOf(given, 'request')?.slice(0, NAME_LIMIT);
  return { by: requesterOf(given), ...(request !== undefined && { request }) };
}

/** An answer to a question of a flow; parts may be missing. */
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

/** The control message of a run to its stage; null for any other input. */
export function controlOf(given: unknown): RunControl | null {
  const paused = requestOf(fieldOf(given, 'paused'));
  const stopping = requestOf(fieldOf(given, 'stopping'));
  if (paused === undefined || stopping === undefined) return null;
  const preempted_by = textOf(given, 'preempted_by');
  const epoch = fieldOf(given, 'epoch');
  return {
    paused,
    stopping,
    changed_at: textOf(given, 'changed_at'),
    ...(preempted_by !== null && { preempted_by }),
    ...(typeof epoch === 'number' && { epoch }),
  };
}

/**
 * The run that will use the chip between measurements; null for any other input, because a child workflow that was started
 * with it would fail.
 */
export function preemptingRunOf(given: unknown): PreemptingRun | null {
  const [run, policy, task] = ['run', 'policy', 'task'].map((name) => fieldOf(given, name));
  const priority = fieldOf(given, 'priority');
  if (!isRunIdentity(run) || !isRunPolicy(policy) || typeof priority !== 'number') return null;
  if (task === null) return { run, policy, priority, task };
  const [name, qid] = [textOf(task, 'name'), textOf(task, 'qid')];
  return name === null || qid === null ? null : { run, policy, priority, task: { name, qid } };
}
