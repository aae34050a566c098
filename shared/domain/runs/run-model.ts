/**
 * What travels through the engine for a run: ids and small settings, never data.
 * Pure types, shared by those who start runs, the workflows and the activities.
 */

import type { ControlRequest } from '../executions/status-rules.ts';
import type { TaskCounts } from '../results/model.ts';
import type { CommonestCause } from './cause-rules.ts';

/** Who, what and where of a run. `name` is the flow's name or `quick-run:<task>`. */
export interface RunIdentity {
  project_id: string;
  execution_id: string;
  chip_id: string;
  name: string;
  user_id: string;
  username: string;
  backend: string;
  trigger: 'api' | 'schedule' | 'agent' | 'demo';
  tags: string[];
}

/** Limits that a run keeps for its whole life, so that a changed setting never breaks replay. */
export interface RunPolicy {
  /** Seconds without a heartbeat after which the worker of a record-keeping activity counts as dead. */
  heartbeat_timeout: number;
  /** Targets that a stage keeps in flight unless the flow says otherwise. */
  parallel: number;
  /** Events after which a stage continues as new. */
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
  /** Id of the run's workflow: random, so that the ids of tasks that follow from it cannot be guessed. */
  flow_run_id: string;
}

/** What people have asked of a run under way. */
export interface RunControl {
  /** Begin no measurement until `resume`. */
  paused: ControlRequest | null;
  /** End the run once the measurements in flight have ended. */
  stopping: ControlRequest | null;
  /** When either was last changed (ISO); null as long as nothing was asked. */
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

/** Where a stage goes on that continued as new. */
export interface StageResume {
  step: number;
  /** Places in the step that go on, by the position of their next task; null begins the step. */
  positions: Record<string, string> | null;
  counts: TaskCounts;
  /** When the stage began (ISO), for its pace. */
  began_at: string;
}

export interface StageOutcome {
  counts: TaskCounts;
  /** Targets on which nothing failed that ends them. */
  passed: number;
  targets: number;
  /** Null when nothing failed. */
  cause: CommonestCause | null;
}
