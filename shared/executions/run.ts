/**
 * What travels through the engine for a run: ids and small settings, never data.
 * Pure types, shared by those who start runs, the workflows and the activities.
 */
import type { ExecutionEndStatus } from './rules.ts';

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
  /** Seconds without a heartbeat after which an activity's worker counts as dead. */
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
}

export interface StageInput {
  run: HeldRun;
  policy: RunPolicy;
  index: number;
  name: string;
  parallel: number;
  /** Set when the stage continues as new: targets that go on, by the position of their next task. */
  resume?: { positions: Record<string, string[]>; counts: TaskCounts };
}

export type TaskCounts = {
  completed: number;
  failed: number;
  skipped: number;
  cancelled: number;
  total: number;
};

export interface StageOutcome {
  counts: TaskCounts;
  /** Targets whose every task completed. */
  passed: number;
  targets: number;
}

/** How a run ended, as `finalize` is told. */
export interface RunEnd {
  status: ExecutionEndStatus;
  message: string;
}

/** Live answer of the `progress` query of a run or a stage. */
export interface RunProgress {
  stage: string | null;
  done: number;
  failed: number;
  skipped: number;
  total: number;
  waiting_for: string | null;
}
