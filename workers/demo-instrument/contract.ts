import type { ExecutionId, ProjectId, TaskId } from '../../shared/kernel/ids.ts';

/** Version of the contract that this worker implements. */
export const CONTRACT = 1;

/** A value with its unit. For a range, the value holds the arguments of the numpy function named by `value_type`. */
export interface Parameter {
  value: number | string | boolean | null | (number | string)[];
  value_type: string;
  unit: string;
  error?: number | null | undefined;
}

/** Input of `measure`; docs/backend-contract.md explains each field. */
export interface MeasureRequest {
  contract: typeof CONTRACT;
  project_id: ProjectId;
  chip_id: string;
  execution_id: ExecutionId;
  epoch: number;
  task_id: TaskId;
  attempt: number;
  pass?: number | undefined;
  task_name: string;
  task_type: 'qubit' | 'coupling' | 'global' | 'system';
  targets: string[];
  input_parameters: Record<string, Parameter>;
  target_parameters?: Record<string, Record<string, Parameter>> | undefined;
  run_parameters: Record<string, Parameter>;
  artifact_dir: string;
  /** Seconds. */
  timeout: number;
  deadline: string;
}

/** Answer of an instrument: for each target, data, a data file, or finished values. */
export interface MeasureResult {
  targets: Record<string, unknown>;
  log?: string;
}
