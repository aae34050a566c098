/** Activities of queue `calibration` that carry out runs, for workflows. Types only. */
import type { ApprovalStatus } from '../../shared/domain/approvals/model.ts';
import type { Preempted, Waiting } from '../../shared/domain/executions/status-rules.ts';
import type { ApprovalAnswer, ApprovalCommand } from '../../shared/domain/flows/model.ts';
import type { RunEnd } from '../../shared/domain/runs/end-rules.ts';
import type { HeldRun, RunControl, RunIdentity, StageOutcome } from '../../shared/domain/runs/run-model.ts';
import type {
  CloseStageInput,
  OpenStageInput,
  OpenStageOutput,
  RecordInput,
  RecordOutput,
  StepPlace,
} from './steps.ts';

export interface BeginInput {
  run: RunIdentity;
  flow_run_id: string;
  /** Whether the run has lent the chip and takes it back. */
  again?: true;
}

export interface FinalizeInput {
  run: RunIdentity;
  end: RunEnd;
}

export interface AdvanceInput {
  run: HeldRun;
  /** Index of the last completed command; -1 at the start. */
  done: number;
  /** The answer to that command, if it was an approval. */
  answer?: ApprovalAnswer;
}

/** A person's answer to a question of a flow. */
export interface ApprovalReply {
  answer: string;
  by: string;
}

export type AdvanceOutput =
  | { kind: 'stage'; index: number; name: string; targets: number; tasks: number; parallel: number | null }
  | { kind: 'sleep'; index: number; seconds: number }
  | ({ index: number } & ApprovalCommand)
  /** `message` is the reason if the flow ended before its last line. */
  | { kind: 'end'; message?: string };

/** A planned task that a run waits for. */
export interface AwaitTaskInput {
  name: string;
  /** Those that the release must have too. */
  run_parameters?: string[];
  /** For a task that a backend declares: which declaration of which backend. */
  declared?: { backend: string; declaration: string };
}

/** Activities of queue `calibration`. */
export interface CalibrationActivities {
  begin(input: BeginInput): Promise<{ epoch: number }>;
  finalize(input: FinalizeInput): Promise<void>;
  advanceFlow(input: AdvanceInput): Promise<AdvanceOutput>;
  planSingleTask(input: { run: HeldRun }): Promise<{ target: string; tasks: number }>;
  openStage(input: OpenStageInput): Promise<OpenStageOutput>;
  record(input: RecordInput): Promise<RecordOutput>;
  /** The measurement at this place was taken back from the queue of its backend. `prepare` prepares it again. */
  noteTakenBack(input: StepPlace): Promise<void>;
  closeStage(input: CloseStageInput): Promise<StageOutcome>;
  openApproval(input: { run: HeldRun; index: number; approval: ApprovalCommand }): Promise<void>;
  answerApproval(input: {
    run: HeldRun;
    index: number;
    reply: ApprovalReply | null;
  }): Promise<ApprovalStatus>;
  settleApproval(input: { run: HeldRun; index: number }): Promise<ApprovalAnswer>;
  lendChip(input: { run: HeldRun; to: string }): Promise<void>;
  notePreempted(input: { run: HeldRun; preempted: Preempted | null }): Promise<void>;
  noteControl(input: { run: HeldRun; control: RunControl }): Promise<void>;
  noteWaiting(input: { run: HeldRun; waiting: Waiting | null }): Promise<void>;
  /** Succeeds when there is space for new measurements. Retried until then. */
  awaitSpace(): Promise<void>;
  /** Succeeds when the worker can record the task. Retried until then. */
  awaitTask(input: AwaitTaskInput): Promise<void>;
  backendPresence(input: { backend: string }): Promise<{ workers: number }>;
  /** Activity ids of the measurements of a stage that no worker has taken yet. */
  waitingMeasurements(input: { workflow_id: string; run_id: string }): Promise<{ ids: string[] }>;
}

/**
 * Local activities run in the process that executes the workflow, within its workflow task. They answer quickly. Null means
 * that this was not possible, and the corresponding normal activity must do the work.
 */
export interface LocalActivities {
  beginLocally(input: BeginInput): Promise<{ epoch: number } | null>;
  advanceFlowLocally(input: AdvanceInput): Promise<AdvanceOutput | null>;
  openStage(input: OpenStageInput): Promise<OpenStageOutput>;
  /** Null for each step that takes too long or fails. */
  recordLocally(input: { steps: RecordInput[] }): Promise<{ recorded: (RecordOutput | null)[] }>;
}
