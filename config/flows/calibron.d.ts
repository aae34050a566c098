/**
 * What a flow works with. A flow is one exported async function that receives a session:
 *
 *     import type { Session } from 'calibron';
 *
 *     export async function nightly(session: Session) {
 *       const rabi = await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.all() });
 *       await session.run({ name: 'T1', tasks: ['CheckT1'], targets: rabi.passed });
 *     }
 *
 * A flow plans; it has no hands. It sees no files, no network and no clock of its own: `Date` starts when the
 * run starts and moves with each answer, `Math.random` gives the same numbers each time. So a run that was
 * interrupted goes on where it was: the flow is executed again with the recorded answers, and must ask for the
 * same again. A run may ask for 200 stages and waits, and compute 2 s between two of them.
 */
declare module 'calibron' {
  export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

  /** Parameters of a run, as given at its start over the flow's defaults. Name them to have them typed. */
  export type Parameters = { [name: string]: JsonValue | undefined };

  /** A number, a text, true or false, or a list, such as a sweep `[start, stop, points]`. */
  export type RunParameterValue = number | string | boolean | (number | string)[];

  /** A task by its name, or with run parameters that differ from the catalog's. */
  export type Task =
    | string
    | { name: string; run_parameters?: { [name: string]: RunParameterValue | { value: RunParameterValue } } };

  export interface Stage {
    /** Shown while the stage runs; 1 to 100 characters. */
    name: string;
    /** Run in this order on each target; a task that fails ends that target's list. */
    tasks: readonly Task[];
    /** Qubit ids. An empty list runs nothing; it never means "all". */
    targets: readonly (string | number)[];
    /** At most so many targets at a time; 1 is one after the other. Without it the worker decides. */
    parallel?: number;
  }

  export interface StageSummary {
    name: string;
    /** `skipped` when there was nothing to run. */
    status: 'completed' | 'failed' | 'cancelled' | 'skipped';
    /** Tasks by how they ended. */
    counts: { completed: number; failed: number; skipped: number; cancelled: number; total: number };
    /** Targets on which every task completed. Give it to the next stage. */
    passed: string[];
    /** All other targets of the stage. */
    failed: string[];
    /** Why targets failed. May be cut, which `truncated` tells. */
    failures: { target: string; task: string; message: string }[];
    truncated: boolean;
  }

  /** Ids of the chip. An unknown id is an error that names it. */
  export interface Targets {
    /** Every qubit. */
    all(): string[];
    /** These qubits, each once. */
    qubits(ids: readonly (string | number)[]): string[];
    /** The qubits of these multiplexers, each once. */
    muxes(ids: readonly (string | number)[]): string[];
  }

  export interface Session<P extends object = Parameters> {
    /** Id of the chip. */
    readonly chip: string;
    /** Cannot be changed. What was not given is undefined. */
    readonly parameters: Readonly<P>;
    readonly targets: Targets;

    /** Runs a stage and waits for its end. Stages run one at a time: await each. */
    run(stage: Stage): Promise<StageSummary>;
    /** Waits, up to 30 days. Nothing is held or polled meanwhile. */
    sleep(seconds: number): Promise<void>;
    /** Adds a message to the run; console.log does the same. */
    log(...message: unknown[]): void;
    /** Keeps a value under a name with the run. */
    record(name: string, value: JsonValue): void;
  }
}
