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

/** What makes a run repeatable. */
export interface FlowSeed {
  /** Seeds Math.random; the execution id serves. */
  randomSeed: string;
  /** Milliseconds since 1970. The flow's clock starts here and moves only to the `at` of each answer. */
  startedAt: number;
}

/** What a flow knows of its chip. Pinned to the run: other values at a later step may make it diverge. */
export interface FlowContext {
  chip_id: string;
  parameters: Record<string, JsonValue>;
  qubits: string[];
  /** Qubit ids of each multiplexer. */
  muxes: Record<string, string[]>;
  couplings: string[];
}

/** What the planner inside of an isolate is given to begin with. */
export interface PlannerSetup {
  seed: FlowSeed;
  context: FlowContext;
  /** The name of the flow's code in stacks. */
  flowFile: string;
  limits: typeof FLOW_LIMITS;
}

/** An answer and the time (ms since 1970) at which it was recorded. */
export interface TimedAnswer {
  at: number;
  answer: FlowAnswer;
}

export interface IsolateLimits {
  /** Milliseconds of processor time of script between two answers. */
  timeMs: number;
  /** Milliseconds of processor time of script in all of a run. */
  runMs: number;
  /** Bytes of the isolate's memory. */
  memoryBytes: number;
  /** Isolates kept for runs that go on, and bytes that they may have together. */
  kept: number;
  keptBytes: number;
}

/** What a thread for flows is started with. */
export interface ThreadSetup {
  limits: IsolateLimits;
  /** Holds the number of the request that shall not go on. */
  stop: Int32Array;
}

export type FlowErrorReason =
  /** The flow threw, or cannot be loaded. */
  | 'thrown'
  | 'time'
  | 'memory'
  /** Told to go no further, which is nobody's fault. */
  | 'stopped'
  /** Re-execution asked for something else than the run had asked for. */
  | 'diverged'
  /** More commands than a run may issue. */
  | 'commands'
  /** The flow waits for something that never comes. */
  | 'stuck'
  /** A command that cannot be carried out: unknown task, missing await, two at a time. */
  | 'command';

export interface FlowFailure {
  reason: FlowErrorReason;
  message: string;
  line?: number;
  /** Log and record entries since the previous command: what the flow said before it failed. */
  entries: FlowEntry[];
}

/** What a flow is executed with: what it may know, and the commands that it issued so far with their answers. */
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
  /** Milliseconds of processor time that the run has had already. */
  spentMs: number;
}
export type ThreadRequest = AdvanceRequest | { kind: 'drop'; key: string };

export type ThreadReply =
  /** `threadId` is what the system knows the thread by. */
  | { kind: 'ready'; threadId: number }
  /** A stretch of script begins now; `line` is where the command before it was issued. */
  | { kind: 'running'; id: number; line?: number }
  | { kind: 'done'; id: number; advance: FlowAdvance; kept: string[] }
  | { kind: 'failed'; id: number; failure: FlowFailure; kept: string[] }
  /** It went no further because it was told so. */
  | { kind: 'stopped'; id: number; kept: string[] }
  /** The isolate's own machinery failed, not the flow. */
  | { kind: 'broken'; id: number; message: string; kept: string[] };
