import type { TaskOutcome, TaskResultDocument } from '../results/model.ts';
import type { RecordedTask } from './store.ts';

/** What provenance keeps of a task that ended with this outcome: only numbers and texts become versions. */
export function recordedTaskOf(row: TaskResultDocument, outcome: TaskOutcome): RecordedTask {
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
    outputs: Object.entries(outcome.outputs).flatMap(([parameter_name, record]) =>
      typeof record.value === 'number' || typeof record.value === 'string'
        ? [
            {
              parameter_name,
              value: record.value,
              value_type: record.value_type,
              unit: record.unit,
              error: record.error ?? null,
            },
          ]
        : [],
    ),
    used_entities: row.used_entities,
  };
}
