/** Which values of a task result may become calibration state. Pure. */
import { gate } from '../../tasks/gates.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import type { StoredParameter, TaskResultDocument } from '../results/model.ts';
import type { AgentCandidate } from './commit-model.ts';
import type { AgentPolicy } from './model.ts';
import { gateValue, qualityProblem } from './policy-rules.ts';

/** The numbers in a completed result, by output, each with the verdict of the gates of task and session. */
export function candidatesOf(
  of: { session_id: string; action_id: string; policy: AgentPolicy },
  result: TaskResultDocument,
  definition: TaskDefinition | undefined,
): AgentCandidate[] {
  const { session_id, action_id, policy } = of;
  const forAll = problemOfResult(policy, result, definition);
  const quality_metrics = Object.fromEntries(
    Object.entries(result.quality_metrics).flatMap(([name, value]) =>
      typeof value === 'number' && Number.isFinite(value) ? [[name, value]] : [],
    ),
  );
  return Object.entries(result.output_parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, output]) => {
      const { value } = output;
      if (typeof value !== 'number' || !Number.isFinite(value)) return [];
      const parameter_name = output.parameter_name || name;
      const { accepted, reason, minimum, maximum } = gateValue(policy, parameter_name, value);
      return [
        {
          session_id,
          action_id,
          execution_id: result.execution_id,
          task_id: result.task_id,
          task_name: result.name,
          qid: result.qid,
          source_parameter_name: name,
          parameter_name,
          value,
          error: output.error ?? 0,
          unit: output.unit,
          value_type: output.value_type || 'float',
          quality_metrics,
          accepted: accepted && forAll === null,
          reason: reason || (forAll ?? ''),
          minimum,
          maximum,
        },
      ];
    });
}

/** Why no value of a result may be committed; null when each value is judged separately. */
function problemOfResult(
  policy: AgentPolicy,
  result: TaskResultDocument,
  definition: TaskDefinition | undefined,
): string | null {
  if (!definition) return `There is no task ${result.name} in the catalog.`;
  if (result.excluded) return 'Somebody excluded this result from the metrics.';
  if (result.ai_review?.held_back) return 'A review holds this result back until a person has looked at it.';
  const outputs = Object.fromEntries(
    Object.entries(result.output_parameters).flatMap(([name, { value, error = null }]) =>
      typeof value === 'number' ? [[name, { value, error }]] : [],
    ),
  );
  // The result passed these gates when it was recorded, but the catalog may have become stricter since.
  const failure = gate(definition, { outputs, r2: result.quality_metrics['r2'] ?? null });
  return failure?.message ?? qualityProblem(policy, result.quality_metrics);
}

/** The record to write to the calibration state: the output's record, marked with its commit. */
export function committedRecord(
  candidate: AgentCandidate,
  result: TaskResultDocument,
  commitId: string,
): StoredParameter {
  const output = result.output_parameters[candidate.source_parameter_name];
  return {
    parameter_name: candidate.parameter_name,
    qid_role: output?.qid_role ?? '',
    required: false,
    source: output?.source ?? null,
    value: candidate.value,
    value_type: candidate.value_type,
    error: output?.error ?? null,
    unit: candidate.unit,
    description: output?.description ?? '',
    calibrated_at: output?.calibrated_at ?? result.end_at?.toISOString() ?? null,
    execution_id: candidate.execution_id,
    task_id: candidate.task_id,
    agent_commit_id: commitId,
  };
}

/** The agent's commit that wrote a value of the calibration state; null when it was written otherwise. */
export function commitOf(record: StoredParameter | null | undefined): string | null {
  const id = record?.['agent_commit_id'];
  return typeof id === 'string' ? id : null;
}

/** Whether a value was found after another one. Times are ISO strings in UTC, so they sort chronologically. */
export function isNewer(record: StoredParameter | null, than: StoredParameter): boolean {
  if (!record?.calibrated_at || !than.calibrated_at) return false;
  return record.calibrated_at > than.calibrated_at;
}
