/** Version of the contract that this worker knows. */
export const CONTRACT = 1;

/** A value with its unit; for a range, what the numpy function named by `value_type` is given. */
export interface Parameter {
  value: number | string | boolean | null | (number | string)[];
  value_type: string;
  unit: string;
  error?: number | null | undefined;
}

/** What `measure` is asked; docs/backend-contract.md explains each field. */
export interface MeasureRequest {
  contract: typeof CONTRACT;
  project_id: string;
  chip_id: string;
  execution_id: string;
  epoch: number;
  task_id: string;
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

/** What an instrument answers: for each target data, a file of data, or finished values. */
export interface MeasureResult {
  targets: Record<string, unknown>;
  log?: string;
}
