import type { Collection } from 'mongodb';
import type { StoredParameter, TaskResultDocument } from './model.ts';

/** The fields of a result that give the value of one output. */
export type OutputRow = Pick<TaskResultDocument, 'task_id' | 'execution_id' | 'qid' | 'start_at'> & {
  output_parameters?: Record<string, StoredParameter>;
};

/** The chip whose results are requested. */
export type OfChip = Pick<TaskResultDocument, 'project_id' | 'chip_id'>;
export type TargetType = 'qubit' | 'coupling';

/** Filter for results that metrics include. */
export const counted = {
  status: 'completed',
  excluded: { $ne: true },
  'ai_review.held_back': { $ne: true },
} as const;

export const rowFields = { _id: 0, task_id: 1, execution_id: 1, qid: 1, start_at: 1 } as const;

/** The newest result with an output on a target that metrics include. */
export function newestCountedRow(
  tasks: Collection<TaskResultDocument>,
  ofChip: OfChip,
  parameter: string,
  of: { qid: string; task_type?: TargetType; start_at?: { $gte: Date } },
): Promise<OutputRow | null> {
  return tasks.findOne<OutputRow>(
    { ...ofChip, output_parameter_names: parameter, ...of, ...counted },
    {
      sort: { start_at: -1, task_id: -1 },
      projection: { ...rowFields, [`output_parameters.${parameter}`]: 1 },
    },
  );
}
