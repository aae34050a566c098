/** A step of record keeping and a measurement's answer, as the workflow `stage` passes them. Types only. */
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import type { MeasureRequest } from '../backends/backend.ts';

/** What one measurement of a task covers, by position in a stage's list. */
export type TaskScope = 'target' | 'mux' | 'batch';

/** A measurement that came to its end: the backend's answer, or the sentence why there is none. */
export interface FinishedMeasurement {
  task_id: string;
  attempt: number;
  /** The pass that was measured, from 1 on. A row that is at another pass is left as it is. */
  pass: number;
  result: unknown;
  failure: string | null;
  /** True when no attempt was answered, so that a worker may have kept a result that it could not deliver. */
  given_up?: true;
}

/** Where a step belongs: a task of a stage's list, on the targets that are measured together. */
export interface StepPlace {
  run: HeldRun;
  stage: number;
  /** One target, or those that share the measurement of a mux or batch task. */
  targets: string[];
  /** Position of the task in the stage's list. */
  index: number;
}

/**
 * One step of record keeping.
 *
 * - `prepare`: creates the rows of the task at `index` and answers the request to measure.
 * - `finish`: records a measurement. Nothing follows: the run is cancelled, paused, stopped, or continues as new.
 * - `finish_or_repeat`: records a measurement that several targets share. It may ask for another pass of it, but
 *   prepares no next task: each target waits for others first.
 * - `finish_and_continue`: records a measurement and prepares what comes next, another pass or the next task.
 */
export type RecordInput = StepPlace &
  (
    | { step: 'prepare' }
    | { step: 'finish' | 'finish_or_repeat' | 'finish_and_continue'; finished: FinishedMeasurement }
  );

/** A measurement that is to be made. */
export interface NextMeasurement {
  request: MeasureRequest;
  /** Seconds that it may take. */
  timeout: number;
  /** Seconds without a heartbeat after which its worker counts as dead. */
  heartbeat_timeout: number;
}

export interface RecordOutput {
  /** How many tasks this step brought to which end. */
  completed: number;
  failed: number;
  skipped: number;
  /** Targets that go on, and the position of their next task. */
  passed: string[];
  index: number;
  /** The measurement to make next. Null when the targets are done, wait for others, or none was asked for. */
  next: NextMeasurement | null;
}

export interface OpenStageInput {
  run: HeldRun;
  stage: number;
  /** A step of its schedule, and the lane from which on to read it. */
  step: number;
  lane: number;
}

/** A part of a step of a stage: all of it, unless it is too large for one answer. */
export interface OpenStageOutput {
  /** Targets and steps of the whole stage. */
  targets: number;
  steps: number;
  scopes: TaskScope[];
  /** Targets that follow each other, lane by lane. */
  lanes: string[][];
  /** The lane at which the step goes on, null after its last. */
  next: number | null;
}

export interface CloseStageInput {
  run: HeldRun;
  stage: number;
  cancelled: boolean;
  /** Who stopped the run: tasks that never began are stored as skipped. Null when it was not stopped. */
  stopped: { by: string } | null;
}
