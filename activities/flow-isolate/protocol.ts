import type {
  FlowAdvance,
  FlowAnswer,
  FlowCommand,
  FlowEntry,
  JsonValue,
} from '../../shared/domain/flows/model.ts';
import type { FLOW_LIMITS } from '../../shared/domain/flows/rules.ts';

/** A checked flow: the JavaScript that `checkFlow` returned, pinned to the run. */
export interface FlowProgram {
  javascript: string;
  functionName: string;
  /** Named in messages. */
  flowName: string;
}

/** Inputs that make a run reproducible. */
export interface FlowSeed {
  /** Seed of Math.random, for example the execution id. */
  randomSeed: string;
  /** Milliseconds since 1970. The flow's clock starts here and moves only to the `at` of each answer. */
  startedAt: number;
}

/** What a flow knows about its chip. Pinned to the run, because different values at a later step may make it diverge. */
export interface FlowContext {
  chip_id: string;
  parameters: Record<string, JsonValue>;
  qubits: string[];
  /** Qubit ids of each multiplexer. */
  muxes: Record<string, string[]>;
  couplings: string[];
}

/** Initial input of the planner inside an isolate. */
export interface PlannerSetup {
  seed: FlowSeed;
  context: FlowContext;
  /** Name of the flow's code in stack traces. */
  flowFile: string;
  limits: typeof FLOW_LIMITS;
}

/** An answer and the time (ms since 1970) at which it was recorded. */
export interface TimedAnswer {
  at: number;
  answer: FlowAnswer;
}

export interface IsolateLimits {
  /** Limit of the script's processor time between two answers, in milliseconds. */
  timeMs: number;
  /** Limit of the script's processor time in a whole run, in milliseconds. */
  runMs: number;
  /** Memory limit of the isolate in bytes. */
  memoryBytes: number;
  /** Maximum number of isolates kept for continuing runs, and their total memory in bytes. */
  kept: number;
  keptBytes: number;
}

/** Start parameters of a flow thread. */
export interface ThreadSetup {
  limits: IsolateLimits;
  /** Contains the number of the request that must stop. */
  stop: Int32Array;
}

export type FlowErrorReason =
  /** The flow threw an error or cannot be loaded. */
  | 'thrown'
  | 'time'
  | 'memory'
  /** Stopped on request, without an error. */
  | 'stopped'
  /** Re-execution requested a different command than before. */
  | 'diverged'
  /** More commands than a run may issue. */
  | 'commands'
  /** The flow waits for something that never happens. */
  | 'stuck'
  /** A command that cannot be carried out: unknown task, missing await, two at a time. */
  | 'command';

export interface FlowFailure {
  reason: FlowErrorReason;
  message: string;
  line?: number;
  /** Log and record entries since the previous command, before the flow failed. */
  entries: FlowEntry[];
}

/** Input of a flow: its context, and the commands issued so far with their answers. */
export interface FlowInput {
  seed: FlowSeed;
  context: FlowContext;
  issued: FlowCommand[];
  answers: TimedAnswer[];
}

export interface AdvanceRequest extends FlowInput {
  id: number;
  kind: 'advance';
  key: string;
  program: FlowProgram;
  /** Processor time that the run has already used, in milliseconds. */
  spentMs: number;
}
export type ThreadRequest = AdvanceRequest | { kind: 'drop'; key: string };

export type ThreadReply =
  /** `threadId` is the operating system's id of the thread. */
  | { kind: 'ready'; threadId: number }
  /** A stretch of script starts now; `line` is where the previous command was issued. */
  | { kind: 'running'; id: number; line?: number }
  | { kind: 'done'; id: number; advance: FlowAdvance; kept: string[] }
  | { kind: 'failed'; id: number; failure: FlowFailure; kept: string[] }
  /** It stopped on request. */
  | { kind: 'stopped'; id: number; kept: string[] }
  /** The isolate itself failed, not the flow. */
  | { kind: 'broken'; id: number; message: string; kept: string[] };
