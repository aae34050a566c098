/** Checks of the input of runs. The Temporal UI starts workflows with any input ("Start Workflow Like This One"). */
import { ApplicationFailure } from '@temporalio/workflow';
import type { RunIdentity, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';

const RUN_TEXTS = ['project_id', 'execution_id', 'chip_id', 'name', 'user_id', 'username', 'backend'];
const POLICY_NUMBERS = ['heartbeat_timeout', 'parallel', 'history_limit'];

function fieldOf(given: unknown, name: string): unknown {
  if (typeof given !== 'object' || given === null) return undefined;
  return Object.getOwnPropertyDescriptor(given, name)?.value;
}

function has(given: unknown, names: readonly string[], type: 'string' | 'number'): boolean {
  return names.every((name) => typeof fieldOf(given, name) === type);
}

/** Whether the input names a run: user, project and chip. */
export function isRunIdentity(given: unknown): given is RunIdentity {
  return has(given, RUN_TEXTS, 'string') && Array.isArray(fieldOf(given, 'tags'));
}

/** Whether the input has the limits of a run. */
export function isRunPolicy(given: unknown): given is RunPolicy {
  return has(given, POLICY_NUMBERS, 'number');
}

/**
 * Ends a workflow that was started by hand with an input that no run has. Otherwise its first task would fail again
 * and again, and it would hold the project until someone terminates it.
 */
export function assertStartedAsRun(input: unknown): void {
  if (isRunIdentity(fieldOf(input, 'run')) && isRunPolicy(fieldOf(input, 'policy'))) return;
  throw ApplicationFailure.create({
    message:
      'Runs are not started by hand: use POST /flows/{name}/execute, or POST /executions/{execution_id}/retry for an earlier one.',
    type: failureTypes.notARun,
    nonRetryable: true,
  });
}
