/**
 * Names, inputs and answers of our own activities, as workflows see them. Types only.
 * `measure` is not here: its contract with every backend is in `backends/backend.ts`.
 */
import type { HeldRun, RunEnd, RunIdentity, StageOutcome } from '../shared/executions/run.ts';
import type { MeasureRequest } from './backends/backend.ts';

export interface BeginInput {
  run: RunIdentity;
  flow_run_id: string;
  /** Seconds after which a silent worker of the previous holder counts as dead. */
  heartbeat_timeout: number;
}

export interface FinalizeInput {
  run: RunIdentity;
  epoch: number;
  end: RunEnd;
}

/** A measurement that came back: what the backend said, or the sentence why there is nothing. */
export interface FinishedMeasurement {
  task_id: string;
  attempt: number;
  result: unknown;
  failure: string | null;
}

export interface RecordInput {
  run: HeldRun;
  stage: number;
  /** One target, or those that share the measurement of a mux or batch task. */
  targets: string[];
  /** Position of the task that `finished` belongs to, or of the task to prepare first. */
  index: number;
  finished: FinishedMeasurement | null;
  /** Id for the task to prepare; null prepares none. */
  next_task_id: string | null;
}

export interface RecordOutput {
  /** How many tasks this call brought to which end. */
  completed: number;
  failed: number;
  skipped: number;
  /** Targets that go on, and the position of their next task. */
  passed: string[];
  index: number;
  /** The measurement to make next, null when the targets are done, wait for others, or none was asked for. */
  next: { request: MeasureRequest; timeout: number } | null;
}

/** What one measurement of a task covers, by position in a stage's list. */
export type TaskScope = 'target' | 'mux' | 'batch';

export interface AdvanceInput {
  run: HeldRun;
  /** Index of the command that was carried out last, -1 at the start. */
  done: number;
}

export type AdvanceOutput =
  | { kind: 'stage'; index: number; name: string; targets: number; tasks: number; parallel: number | null }
  | { kind: 'sleep'; index: number; seconds: number }
  | { kind: 'end' };

/** Activities of queue `calibration`. */
export interface CalibrationActivities {
  begin(input: BeginInput): Promise<{ epoch: number }>;
  finalize(input: FinalizeInput): Promise<void>;
  advanceFlow(input: AdvanceInput): Promise<AdvanceOutput>;
  planSingleTask(input: { run: HeldRun }): Promise<{ target: string; tasks: number }>;
  openStage(input: { run: HeldRun; stage: number }): Promise<{ targets: string[]; scopes: TaskScope[] }>;
  record(input: RecordInput): Promise<RecordOutput>;
  closeStage(input: { run: HeldRun; stage: number; cancelled: boolean }): Promise<StageOutcome>;
  backendPresence(input: { backend: string }): Promise<{ workers: number }>;
}
