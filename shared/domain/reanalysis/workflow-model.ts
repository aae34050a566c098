import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { ExecutionId, TaskId } from '../../kernel/ids.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import type { ResolvedParameters, TaskOutput, TaskType } from '../../tasks/model.ts';

/** What a worker's activity `analyse` gets: a measurement of one of its own tasks, with the data that it returned. */
export interface AnalysisRequest {
  contract: 1;
  project_id: string;
  chip_id: string;
  execution_id: ExecutionId;
  task_id: TaskId;
  task_name: string;
  task_type: TaskType;
  target: string;
  input_parameters: ResolvedParameters;
  run_parameters: ResolvedParameters;
  dataset: Dataset;
}

export interface OwnAnalysisInput {
  backend: string;
  request: AnalysisRequest;
  /** The outputs that the task declares. */
  outputs: Readonly<Record<string, Pick<TaskOutput, 'unit'>>>;
}

/** What the analysis found, or why there is nothing. */
export type OwnAnalysisAnswer =
  | { figure: Record<string, unknown>; outputs: { name: string; value: number; unit: string }[] }
  /** No worker took the request in time, or the one that did has no such activity. */
  | { unserved: 'no_worker' | 'no_activity' }
  /** A message for users. */
  | { problem: string };

/** Has a worker of a backend analyse stored data of a task that the backend declares. */
export const ownAnalysis =
  workflowContract<(input: OwnAnalysisInput) => Promise<OwnAnalysisAnswer>>('ownAnalysis');
