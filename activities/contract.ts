/**
 * Names, inputs and answers of our own activities, as workflows see them. Types only.
 * `measure` is not here: its contract with every backend is in `backends/backend.ts`.
 */

import type { ApplyInput } from '../shared/domain/agent-sessions/apply-model.ts';
import type { Reviewed } from '../shared/domain/ai-reviews/model.ts';
import type { ApprovalStatus } from '../shared/domain/approvals/model.ts';
import type { ChatThread } from '../shared/domain/chat/model.ts';
import type { Waiting } from '../shared/domain/executions/status-rules.ts';
import type { ApprovalAnswer, ApprovalCommand } from '../shared/domain/flows/model.ts';
import type { ExportedCase } from '../shared/domain/knowledge-cases/model.ts';
import type { RunEnd } from '../shared/domain/runs/end-rules.ts';
import type { HeldRun, RunControl, RunIdentity, StageOutcome } from '../shared/domain/runs/run-model.ts';
import type { Installation, UpdateMark, UpdatePlan } from '../shared/domain/system-updates/model.ts';
import type { MeasureRequest } from './backends/backend.ts';

export interface BeginInput {
  run: RunIdentity;
  flow_run_id: string;
  /** Seconds after which a silent worker of the previous holder counts as dead. */
  heartbeat_timeout: number;
}

export interface FinalizeInput {
  run: RunIdentity;
  end: RunEnd;
}

/** A measurement that came back: what the backend said, or the sentence why there is nothing. */
export interface FinishedMeasurement {
  task_id: string;
  attempt: number;
  result: unknown;
  failure: string | null;
  /** The pass that was measured; a task that has gone on to another is left as it is. Absent: the one it is at. */
  pass?: number;
  /** True when nothing more is to come of the task: its targets are ended in whichever pass they are. */
  given_up?: boolean;
}

export interface RecordInput {
  run: HeldRun;
  stage: number;
  /** One target, or those that share the measurement of a mux or batch task. */
  targets: string[];
  /** Position of the task that `finished` belongs to, or of the task to prepare first. */
  index: number;
  finished: FinishedMeasurement | null;
  /** Id for the task to prepare, or for another pass of this one; null does neither. */
  next_task_id: string | null;
  /** The task that the one target ran last, where the caller knows it and nothing is finished. */
  upstream_id?: string;
  /** False: another pass of the finished task may be prepared, but no next task. */
  goes_on?: boolean;
  /** Id for the task after the finished one, where `next_task_id` is that of another pass alone. */
  following_id?: string;
  /** True: a task is prepared only if it was prepared before. */
  begun_only?: true;
  /**
   * True: what is to be prepared may have been prepared before, and measured since. False: it was not, unless its rows
   * are there, as after a Reset. Absent: the caller measures it anyhow, and its rows are not looked for.
   */
  again?: boolean;
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
  next: {
    request: MeasureRequest;
    timeout: number;
    /** True for one that was prepared before. */
    repeated?: boolean;
    /** True for one that was prepared before, and has its outcome stored. */
    known?: boolean;
  } | null;
}

export interface OpenStageInput {
  run: HeldRun;
  stage: number;
  /** A step of its schedule, and the lane from which on to read it. */
  step: number;
  lane: number;
}

/**
 * Which answer of which process something follows from. The process that gave it knows when it did, and that the engine
 * began what follows later still: whatever is told of the time is older than the truth.
 */
export interface AnswerMark {
  process: string;
  /** By its own `performance.now()`. */
  at: number;
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
  /**
   * The tasks of the list, where the worker that measures keeps records too: each is one activity then. Absent where
   * another one keeps them, and in what releases before 0.2.0 answered.
   */
  tasks?: {
    name: string;
    /** Seconds that its activity may measure: a computed task goes on to the next that is measured. */
    timeout: number;
  }[];
  /** Beside `tasks`. */
  mark?: AnswerMark;
  /**
   * Beside `tasks`: an activity may go on with the next tasks of its target while they are quick. Absent where each task
   * is an activity of its own.
   */
  goes_on?: true;
  /**
   * Who answered serves these tasks on the queue `calibration` as well, where they begin at once in the process that
   * carries the stage on: those of a stage with so many lanes in flight at most.
   */
  here?: number;
}

/** What a task follows from: another one of the same target, or the opening of its stage. */
export interface Preceding {
  mark: AnswerMark;
  /** The task of the target that was recorded; absent where there is none, or where that is not known. */
  task_id?: string;
}

/** One task to prepare, measure and record in one activity, and those that it may go on with. */
export interface MeasureAndRecordInput {
  run: HeldRun;
  stage: number;
  /** One target, or those that share the measurement of a mux or batch task. */
  targets: string[];
  /** Position of the task. */
  index: number;
  task_id: string;
  /** Which time it is asked for, from 1 on. */
  attempt: number;
  /** True: it was asked for before, and what was done of it is not done again. */
  again: boolean;
  /** What it follows from, null where that is unknown. Absent in what releases before 0.2.0 asked. */
  after?: Preceding | null;
  /** Ids of the next tasks of the target, with which the activity may go on while they are quick. */
  following?: string[];
}

/**
 * How a task and those after it ended, with what the next one of its target follows, for who told what this one does; or the step of its record
 * keeping that could not be done now, for {@link CalibrationActivities.record}; or that nothing was begun of it, since the
 * process has no room for it beside its record keeping.
 */
export type MeasureAndRecordOutput =
  | { recorded: RecordOutput; after?: Preceding }
  | { undone: RecordInput }
  | { full: true };

/** What a backend's worker serves that keeps records too. */
export interface RecordingBackendActivities {
  measureAndRecord(input: MeasureAndRecordInput): Promise<MeasureAndRecordOutput>;
}

export interface CloseStageInput {
  run: HeldRun;
  stage: number;
  cancelled: boolean;
  /** Set when people stopped the run: who, and the id from which those of the tasks that never began follow. */
  stopped: { by: string; task_id: string } | null;
}

/** What one measurement of a task covers, by position in a stage's list. */
export type TaskScope = 'target' | 'mux' | 'batch';

export interface AdvanceInput {
  run: HeldRun;
  /** Index of the command that was carried out last, -1 at the start. */
  done: number;
  /** What that command brought, where it asked people. */
  answer?: ApprovalAnswer;
}

/** An answer of somebody to a question of a flow. */
export interface ApprovalReply {
  answer: string;
  by: string;
}

export type AdvanceOutput =
  | { kind: 'stage'; index: number; name: string; targets: number; tasks: number; parallel: number | null }
  | { kind: 'sleep'; index: number; seconds: number }
  | ({ index: number } & ApprovalCommand)
  /** `message` tells why the flow ended before its last line. */
  | { kind: 'end'; message?: string };

/** Which schedule is due. */
export interface ScheduledStartInput {
  project_id: string;
  schedule_id: string;
}

/** Activities of queue `calibration` that carry out schedules. */
export interface ScheduleActivities {
  startScheduledRun(input: ScheduledStartInput & { due_at: string }): Promise<{
    message: string;
    /** The run that was started; null when none was. */
    started?: { execution_id: string; chip_id: string } | null;
  }>;
}

/** Which run of reviews. */
export interface ReviewRunInput {
  project_id: string;
  review_run_id: string;
}

/** Activities of queue `review`. */
export interface ReviewActivities {
  /** Ids of results whose reviews have not ended, some of them. */
  openReviews(input: ReviewRunInput): Promise<{ task_ids: string[] }>;
  /** @param input `last` fails the review where its model would have to be waited for */
  reviewResult(input: ReviewRunInput & { task_id: string; last: boolean }): Promise<Reviewed>;
  /** Ends the run; reviews that are left have failed because of `why`. */
  closeReviews(input: ReviewRunInput & { why: string }): Promise<void>;
}

/** Activities of queue `calibration`. */
export interface CalibrationActivities {
  begin(input: BeginInput): Promise<{ epoch: number }>;
  /** The same within the workflow task that asks for it: null where it would have to wait, which `begin` then does. */
  beginAtOnce(input: BeginInput): Promise<{ epoch: number } | null>;
  finalize(input: FinalizeInput): Promise<void>;
  advanceFlow(input: AdvanceInput): Promise<AdvanceOutput>;
  /** The same within the workflow task that asks for it: null where it takes long, which `advanceFlow` then does. */
  advanceFlowAtOnce(input: AdvanceInput): Promise<AdvanceOutput | null>;
  planSingleTask(input: { run: HeldRun }): Promise<{ target: string; tasks: number }>;
  openStage(input: OpenStageInput): Promise<OpenStageOutput>;
  record(input: RecordInput): Promise<RecordOutput>;
  /** Several of them; null for one that failed, which `record` then says why. */
  recordTogether(input: { steps: RecordInput[] }): Promise<{ recorded: (RecordOutput | null)[] }>;
  /**
   * The same within the workflow task that asks for it, which waits no longer than a moment: null, too, for one that takes
   * longer, which `record` then goes on with.
   */
  recordAtOnce(input: { steps: RecordInput[] }): Promise<{ recorded: (RecordOutput | null)[] }>;
  closeStage(input: CloseStageInput): Promise<StageOutcome>;
  openApproval(input: { run: HeldRun; index: number; approval: ApprovalCommand }): Promise<void>;
  answerApproval(input: {
    run: HeldRun;
    index: number;
    reply: ApprovalReply | null;
  }): Promise<ApprovalStatus>;
  settleApproval(input: { run: HeldRun; index: number }): Promise<ApprovalAnswer>;
  noteControl(input: { run: HeldRun; control: RunControl }): Promise<void>;
  noteWaiting(input: { run: HeldRun; waiting: Waiting | null }): Promise<void>;
  backendPresence(input: { backend: string }): Promise<{ workers: number }>;
}

/** Activities of queue `calibration` that send messages to the lab's chat. */
export interface ChatActivities {
  /** `sent` is false when nothing waits any more. */
  sendNextMessage(thread: ChatThread): Promise<{ sent: boolean }>;
}

/** Activities of queue `calibration` that export what projects learnt. */
export interface KnowledgeActivities {
  writeKnowledgePage(input: ExportedCase): Promise<void>;
}

/** Activities of queue `calibration` that delete a project. */
export interface DeletionActivities {
  removeProject(input: { project_id: string }): Promise<void>;
  forgetDeletion(input: { project_id: string }): Promise<void>;
}

/** A step of an update. Its name is its key: a step that was carried through is not done again. */
export interface UpdateStep {
  operation_id: string;
  name: string;
  plan: UpdatePlan;
}

/** Activities of queue `system`, which the updater serves. */
export interface UpdateActivities {
  lookAtInstallation(): Promise<Installation>;
  planUpdate(input: { operation_id: string; expected_target: string }): Promise<{
    plan: UpdatePlan;
    /** Whether there is a command that stops the services. */
    stops: boolean;
    /** Seconds after which the engine gives a command up, and the look whether the version is healthy. */
    command_seconds: number;
    health_seconds: number;
  }>;
  noteUpdate(input: { operation_id: string; mark: UpdateMark }): Promise<void>;
  runUpdateCommand(input: { step: UpdateStep; command: 'stop' | 'deploy' }): Promise<void>;
  moveWorkingTree(input: { step: UpdateStep; direction: 'forward' | 'back' }): Promise<void>;
  checkHealth(input: { step: UpdateStep }): Promise<void>;
  concludeUpdate(input: { operation_id: string; mark: UpdateMark }): Promise<void>;
}

/** Activities of queue `calibration` that bring a commit of an agent into the backend's files. */
export interface ApplyActivities {
  beginApply(input: ApplyInput): Promise<void>;
  pullForApply(input: ApplyInput): Promise<void>;
  writeApply(input: ApplyInput): Promise<void>;
  versionApply(input: ApplyInput): Promise<void>;
  finishApply(input: ApplyInput): Promise<void>;
  failApply(input: ApplyInput & { reason: string }): Promise<void>;
}
