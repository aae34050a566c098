import type { TaskOutcome, TaskResultDocument } from '../results/model.ts';
import type { EndedTask } from './task-documents.ts';

/** The provenance record of a task with this outcome: only numbers and texts become versions. */
export function endedTaskOf(row: TaskResultDocument, outcome: TaskOutcome): EndedTask {
  return {
    project_id: row.project_id,
    chip_id: row.chip_id,
    execution_id: row.execution_id,
    task_id: row.task_id,
    task_name: row.name,
    task_type: row.task_type,
    qid: row.qid,
    status: outcome.status,
    started_at: outcome.start_at ?? row.start_at,
    ended_at: outcome.end_at,
    outputs: Object.entries(outcome.outputs).flatMap(([parameter_name, output]) =>
      typeof output.value === 'number' || typeof output.value === 'string'
        ? [
            {
              parameter_name,
              value: output.value,
              value_type: output.value_type,
              unit: output.unit,
              error: output.error ?? null,
            },
          ]
        : [],
    ),
    used_entities: row.used_entities,
    after: row.upstream_id,
    agent: { user_id: row.user_id, username: row.username },
  };
}
