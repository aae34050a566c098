/** Steps of record keeping and answers of measurements, as passed by the workflow `stage`. Types only. */

import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import type { TaskId } from '../../shared/kernel/ids.ts';
import type { MeasureRequest } from '../backends/backend.ts';

/** What one measurement of a task covers. */
export type TaskScope = 'target' | 'mux' | 'batch';

/** A finished measurement: the backend's answer, or the reason why there is none. */
export interface FinishedMeasurement {
  task_id: TaskId;
  attempt: number;
  /** The measured pass, starting at 1. Rows at another pass are not changed. */
  pass: number;
  result: unknown;
  failure: string | null;
  /** True if no attempt was answered, so that a worker may have a result that it could not deliver. */
  given_up?: true;
}

/** The task in a stage's list and the targets measured together that a step belongs to. */
export interface StepPlace {
  run: HeldRun;
  stage: number;
  /** One target, or all targets that share the measurement of a mux or batch task. */
  targets: string[];
  /** Position of the task in the stage's list. */
  index: number;
}

/**
 * One step of record keeping.
 *
 * - `prepare`: creates the rows of the task at `index` and returns the request to measure.
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

/** A measurement to be made. */
export interface NextMeasurement {
  request: MeasureRequest;
  /** Time limit in seconds. */
  timeout: number;
  /** Seconds without a heartbeat after which the worker counts as dead. */
  heartbeat_timeout: number;
  /** Why the measurement must wait for space; absent if there is some. */
  shortage?: string;
}

/** A planned task that this release does not have. */
export interface MissingTask {
  name: string;
  /** Hash of the declaration that the plan pins, if the backend declares the task and the declaration is gone. */
  declaration?: string;
  /** Planned run parameters that this release does not have; absent if the task itself is missing. */
  run_parameters?: string[];
  /** What its targets wait for, as the continuation of "Waiting for". */
  message: string;
}

export interface RecordOutput {
  /** Number of tasks that this step ended, by end status. */
  completed: number;
  failed: number;
  skipped: number;
  /** Targets that continue, and the position of their next task. */
  passed: string[];
  index: number;
  /** The task at `index`, if this release does not have it. The targets wait for a release that does. */
  missing_task?: MissingTask;
  /** The next measurement. Null if the targets are done or wait for others, or if none was requested. */
  next: NextMeasurement | null;
}

export interface OpenStageInput {
  run: HeldRun;
  stage: number;
  /** A step of its schedule, and the lane at which reading starts. */
  step: number;
  lane: number;
}

/** A step of a stage, or a part of it if it is too large for one answer. */
export interface OpenStageOutput {
  /** Number of targets and steps of the whole stage. */
  targets: number;
  steps: number;
  scopes: TaskScope[];
  /** For each lane, the targets that are measured one after another. */
  lanes: string[][];
  /** The lane at which the next part starts; null after the last lane. */
  next: number | null;
}

export interface CloseStageInput {
  run: HeldRun;
  stage: number;
  cancelled: boolean;
  /** The user who stopped the run; null if it was not stopped. Tasks that never started are then stored as skipped. */
  stopped: { by: string } | null;
}
