/**
 * What travels through the engine for a run: ids and small settings, never data. Pure types, shared by the starters of runs, the
 * workflows and the activities.
 */

import type { ControlRequest } from '../executions/status-rules.ts';
import type { TaskCounts } from '../results/model.ts';
import type { CommonestCause } from './cause-rules.ts';

/** Identifies a run: user, project, chip and code. `name` is the flow's name or `quick-run:<task>`. */
export interface RunIdentity {
  project_id: string;
  execution_id: string;
  chip_id: string;
  name: string;
  user_id: string;
  username: string;
  /** The user whose share of the queues the run uses, if it is not that of `user_id`. */
  share_user_id?: string;
  backend: string;
  trigger: 'api' | 'schedule' | 'agent' | 'demo';
  tags: string[];
}

/** Limits that stay fixed for the whole life of a run, so that a changed setting never breaks replay. */
export interface RunPolicy {
  /** Seconds without a heartbeat after which the worker of a record-keeping activity counts as dead. */
  heartbeat_timeout: number;
  /** Number of targets that a stage measures at once, unless the flow sets its own. */
  parallel: number;
  /** Number of history events after which a stage continues as new. */
  history_limit: number;
}

export interface CalibrationRunInput {
  run: RunIdentity;
  policy: RunPolicy;
}

export interface SingleTaskRunInput {
  run: RunIdentity;
  policy: RunPolicy;
  task_name: string;
  qid: string;
}

/** A run that holds its project: `epoch` fences its writes against later holders. */
export interface HeldRun extends RunIdentity {
  epoch: number;
  /** Run id of the run's workflow. It is random, so that the task ids derived from it cannot be guessed. */
  flow_run_id: string;
}

/** Pause and stop requests of users to a running run. */
export interface RunControl {
  /** Start no measurement until `resume`. */
  paused: ControlRequest | null;
  /** End the run once the measurements in flight have finished. */
  stopping: ControlRequest | null;
  /** When either was last changed (ISO); null before the first request. */
  changed_at: string | null;
}

export interface StageInput {
  run: HeldRun;
  policy: RunPolicy;
  index: number;
  name: string;
  parallel: number;
  control: RunControl;
  /** Set when the stage continues as new. */
  resume?: StageResume;
}

/** Where a stage resumes after it continued as new. */
export interface StageResume {
  step: number;
  /** The lanes of the step that continue, with the position of their next task; null starts the step from its beginning. */
  positions: Record<string, string> | null;
  counts: TaskCounts;
  /** When the stage started (ISO), to compute its pace. */
  began_at: string;
}

export interface StageOutcome {
  counts: TaskCounts;
  /** Targets without a failure that ends them. */
  passed: number;
  targets: number;
  /** Null when nothing failed. */
  cause: CommonestCause | null;
}
