/**
 * What travels through the engine for a run: ids and small settings, never data. Pure types, shared by the starters of runs, the
 * workflows and the activities.
 */

import type { ExecutionId, ProjectId, UserId } from '../../kernel/ids.ts';
import type { ControlRequest } from '../executions/status-rules.ts';
import type { TaskCounts } from '../results/model.ts';
import type { CommonestCause } from './cause-rules.ts';

/** Identifies a run: user, project, chip and code. `name` is the flow's name or `quick-run:<task>`. */
export interface RunIdentity {
  project_id: ProjectId;
  execution_id: ExecutionId;
  chip_id: string;
  name: string;
  user_id: UserId;
  username: string;
  /** The user whose share of the queues the run uses, if it is not that of `user_id`. */
  share_user_id?: string;
  backend: string;
  trigger: 'api' | 'schedule' | 'agent' | 'demo';
  tags: string[];
  /** The execution that this run preempts: its workflow is a child of that one's. Absent if it holds the project itself. */
  preempts?: string;
}

/** Limits that stay fixed for the whole life of a run, so that a changed setting never breaks replay. */
export interface RunPolicy {
  /** Seconds without a heartbeat after which the worker of a record-keeping activity counts as dead. */
  heartbeat_timeout: number;
  /** Number of targets that a stage measures at once, unless the flow sets its own. */
  parallel: number;
  /** Number of history events after which a stage continues as new. */
  history_limit: number;
  /** Absent if no other run may use the chip before this one ends. */
  preemption?: PreemptionPolicy;
}

/** Which runs may use the chip at the measurement boundaries of a long run, and for how long. */
export interface PreemptionPolicy {
  /** Runs with a higher priority may. */
  priority: number;
  /** Seconds of any hour that they may use together. */
  seconds_per_hour: number;
}

/** Input of the update `preempt`: the run that will use the chip between measurements. */
export interface PreemptingRun {
  run: RunIdentity;
  policy: RunPolicy;
  priority: number;
  /** The task of a run of a single task; null for a flow. */
  task: { name: string; qid: string } | null;
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

/** A run that holds its project: `epoch` fences its writes against later holders. It is higher after each preemption. */
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
  /** The execution that uses the chip in between: start no measurement until it has ended. Absent if there is none. */
  preempted_by?: string;
  /** The epoch of the run since it took the chip back; absent if it never gave it away. */
  epoch?: number;
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
