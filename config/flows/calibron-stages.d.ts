/** Stages: tasks on targets, in an order, and what came of them. */
declare module 'calibron' {
  /** A number, a text, true or false, or a list, such as a sweep `[start, stop, points]`. */
  export type RunParameterValue = number | string | boolean | readonly (number | string)[];

  /** Run parameters by name; those that are undefined or null count as not given. */
  export type RunParameters = {
    readonly [name: string]: RunParameterValue | { value: RunParameterValue } | null | undefined;
  };

  /** A task by its name, or with run parameters that differ from the catalog's. */
  export type Task =
    | string
    | {
        readonly name: string;
        readonly run_parameters?: RunParameters;
        /** Only measures whether stored values are within their tolerances, with few points or shots. It writes no value. */
        readonly check?: boolean;
      };

  /** Steps one after another; the lanes of a step at the same time; the targets of a lane one after another. */
  export type Schedule = readonly (readonly (readonly (string | number)[])[])[];

  /**
   * In which order qubits are measured:
   * - `synchronized`: step by step over the chip; neighbouring qubits are in different steps.
   * - `scheduled`: multiplexers at the same time, the qubits of one multiplexer one after another.
   * - `serial`: one qubit after another.
   * - `simultaneous`: each task once for all qubits of a batch.
   *
   * Electronics that multiplexers share is never asked for two things at once, as far as the chip's wiring is
   * known. A task that measures whole multiplexers and begins the list, such as CheckResonatorSpectroscopy, is
   * measured once for each of them, whatever the order.
   */
  export type Mode = 'synchronized' | 'scheduled' | 'serial' | 'simultaneous';

  /** How a stage goes through its targets. */
  export interface StageOrder {
    /** Without it, and without a schedule, all qubits at the same time. */
    mode?: Mode;
    /** For mode simultaneous: all qubits in one batch (default), or four batches by place in the multiplexer. */
    batches?: 'all' | 'local_index';
    /** Which qubit of a multiplexer comes first; default checkerboard where synchronized, else natural. */
    ordering?: 'natural' | 'checkerboard' | 'parity';
    /** Maximum number of targets at a time, at most 128. Without it the worker decides. */
    parallel?: number;
    /** For every task of the stage that has such a run parameter. */
    run_parameters?: RunParameters;
    input_offsets?: InputOffsets;
    /**
     * Measures a task once more if its result is refused and the refusal suggests other run parameters, such as more
     * shots or a wider sweep. Default false.
     */
    repeat_refused?: boolean;
  }

  /**
   * Added to the stored values that tasks read, in the units of these inputs: `{ qubit_frequency: 0.001 }` measures
   * 1 MHz above the stored frequency. From the task on that measures such a value again, tasks use what it found. A
   * chevron outputs the readout amplitude that it used, so its output includes the offset. Offsets that are
   * undefined or null count as not given.
   */
  export type InputOffsets = { readonly [name: string]: number | null | undefined };

  export interface Stage extends StageOrder {
    /** Shown while the stage runs; 1 to 100 characters. */
    name: string;
    /** Run in this order on each target; a task that fails ends that target's list. */
    tasks: readonly Task[];
    /**
     * Ids of qubits, or of couplings. An empty list runs nothing; it never means "all". Without a schedule,
     * couplings run one after another.
     */
    targets?: readonly (string | number)[];
    /** In place of a mode: an order of your own, or of `session.schedulePairs`. `targets` narrow it. */
    schedule?: Schedule | PairSchedule;
  }

  /** What a helper such as `session.bringUp` does differently than usual. */
  export interface HelperOptions extends StageOrder {
    name?: string;
    /** In place of the usual list. */
    tasks?: readonly Task[];
  }

  export interface OneQubitOptions extends HelperOptions {
    /** The short list: without repetitions, averages and coherence limit. */
    fast?: boolean;
    /** Writes the qubit's settings to the box first. */
    configure?: boolean;
  }

  export interface TwoQubitOptions {
    name?: string;
    tasks?: readonly Task[];
    parallel?: number;
    run_parameters?: RunParameters;
    input_offsets?: InputOffsets;
    /** As in {@link StageOrder}. */
    repeat_refused?: boolean;
  }

  export interface MaintainOptions {
    /** Ids of qubits or couplings. */
    targets: readonly (string | number)[];
    /** Default: what one-qubit gates and the readout need. A task depends on those of the list whose values it reads. */
    tasks?: readonly Task[];
    /** How long may be measured. A stage that is under way is not cut off. */
    seconds: number;
    /** In which order qubits are measured. */
    mode?: Mode;
  }

  export interface MaintainSummary {
    /** Number of tasks of targets whose values hold. */
    holds: number;
    /** What was checked with a short measurement, in order. */
    checked: {
      task: string;
      target: string;
      outcome: 'in_specification' | 'out_of_specification' | 'bad_data';
    }[];
    /** Which tasks were run in full, in order. */
    measured: { task: string; target: string }[];
    /** Left alone for an hour, then for twice as long after each failure, at most a week. */
    not_repaired: { task: string; target: string; reason: string }[];
    /** What there was no time for. */
    postponed: { task: string; target: string }[];
  }

  export interface StageSummary {
    name: string;
    /** `skipped` when there was nothing to run. */
    status: 'completed' | 'failed' | 'cancelled' | 'skipped';
    /** Tasks by how they ended. */
    counts: { completed: number; failed: number; skipped: number; cancelled: number; total: number };
    /**
     * Targets on which every task completed, but for coherence times (T1, echo, Ramsey, limits from them): where one is
     * refused its qubit goes on. Give it to the next stage.
     */
    passed: string[];
    /** All other targets of the stage. */
    failed: string[];
    /** Why targets failed, and which coherence times were refused. May be cut; then `truncated` is true. */
    failures: { target: string; task: string; message: string }[];
    truncated: boolean;
  }

  /** What an attempt does differently from the stage: run parameters alone, or by name beside input offsets. */
  export type Attempt =
    | RunParameters
    | { readonly run_parameters?: RunParameters; readonly input_offsets?: InputOffsets };

  export interface Retries extends Stage {
    /** One entry for each attempt, which overrides the stage. Targets that passed are not tried again. */
    attempts: readonly Attempt[];
  }

  export interface RetrySummary {
    /** Targets that passed an attempt. */
    passed: string[];
    /** Targets that failed the last attempt. */
    failed: string[];
    /** The attempts that were needed. */
    attempts: {
      run_parameters: { [name: string]: RunParameterValue };
      input_offsets: { [name: string]: number };
      passed: string[];
      failed: string[];
    }[];
  }

  export interface PairOptions {
    /** Qubits that may take part; every qubit without it, none for an empty list. */
    candidates?: readonly QubitId[];
    /** Pairs at the same time. Default 10. */
    max_parallel_ops?: number;
    /** Control and target change places. */
    inverse?: boolean;
    /** `intra_then_inter` keeps pairs inside a multiplexer and pairs between two in groups of their own. */
    strategy?: 'intra_first' | 'intra_then_inter';
    /** Keeps pairs on neighbouring qubits apart: they see each other's drive. */
    spectators?: boolean;
  }

  /** Which pairs are calibrated when. Empty when no two candidates are coupled. */
  export interface PairSchedule {
    /** Groups one after another; the pairs of a group at the same time. */
    readonly groups: readonly (readonly string[])[];
    readonly pairs: readonly string[];
    /** How control and target were distinguished: design, measured, parity, as given. */
    readonly direction: string;
    /** Pairs of candidates that were left out, and why; the first 50. */
    readonly excluded: readonly { target: string; reason: string }[];
    readonly excluded_count: number;
  }
}
