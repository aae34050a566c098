/**
 * What a flow works with. A flow is one exported async function that receives a session:
 *
 *     import type { ParameterDeclarations, Session } from 'calibron';
 *
 *     export const parameters = {
 *       qids: { type: 'qubits', required: true, description: 'Qubits to calibrate' },
 *     } as const satisfies ParameterDeclarations;
 *
 *     export async function nightly(session: Session<typeof parameters>) {
 *       const check = await session.oneQubitCheck(session.targets.chosen());
 *       const good = session.filter.byStatus(check);
 *       await session.run({ name: 'T1', tasks: ['CheckT1Average'], targets: good, mode: 'synchronized' });
 *     }
 *
 * A flow plans; it has no hands. It sees no files, no network and no clock of its own: `Date` starts when the
 * run starts and moves with each answer, `Math.random` gives the same numbers each time. So a run that was
 * interrupted goes on where it was: the flow is executed again with the recorded answers, and must ask for the
 * same again. A run may ask for 200 stages, waits and other answers, and compute 2 s between two of them.
 */
declare module 'calibron' {
  /** Ids of the chip. Unknown ids are an error that names all of them. */
  export interface Targets {
    /** Every qubit. */
    all(): string[];
    /** These qubits, each once. */
    qubits(ids: readonly QubitId[]): string[];
    /** The qubits of these multiplexers, each once. */
    muxes(ids: readonly QubitId[]): string[];
    /**
     * The qubits that the run's parameters choose: those of `mux_ids`, else `qids`, else all of the chip, without
     * `exclude_qids`. None left, as of an empty list, is an error.
     */
    chosen(): string[];
    /** Every coupling, in both directions, as `control-target`. */
    couplings(): string[];
    /** These couplings, each once. */
    pairs(pairs: readonly Pair[]): string[];
    /** Groups of pairs made by you: group after group, the pairs of a group at the same time. */
    pairGroups(groups: readonly (readonly Pair[])[]): PairSchedule;
  }

  /**
   * What goes on. Each filter is recorded with its criteria, how many went in and out, and the pass rate. One
   * that lets nothing through ends the flow there, and the run reports it: nothing never means "all".
   */
  export interface Filter {
    /** The targets that passed a stage: those of its `passed`. */
    byStatus(stage: Pick<StageSummary, 'passed' | 'failed'>): string[];
    /**
     * The targets whose value of a metric is at least the threshold. A metric is a stored parameter
     * (`t1_average`, `qubit_frequency` …) or one of x90_fidelity, x180_fidelity, rb_fidelity, readout_fidelity,
     * zx90_fidelity, bell_fidelity. Only values that this run has found count, unless `any_run` do.
     */
    byMetric(
      targets: readonly (string | number)[],
      metric: string,
      threshold: number,
      options?: { measured_in?: 'this_run' | 'any_run' },
    ): Promise<string[]>;
  }

  export interface Approval {
    question: string;
    /** Default yes and no. */
    options?: readonly string[];
    /** How long to wait for people, up to 30 days. */
    deadline_seconds: number;
    /** The answer that counts if there is none before the deadline. */
    default: string;
  }

  /** `P`: `typeof parameters` of a flow that declares them. */
  export interface Session<P extends object = Parameters> {
    /** Id of the chip. */
    readonly chip: string;
    /** Cannot be changed. What was not given and has no default is undefined. */
    readonly parameters: Readonly<P extends ParameterDeclarations ? Declared<P> : P>;
    readonly targets: Targets;
    readonly filter: Filter;

    /** Runs a stage and waits for its end. Stages run one at a time: await each. */
    run(stage: Stage): Promise<StageSummary>;
    /** From nothing to frequency and drive: resonators, spectroscopy, drive, chevron; mode scheduled. */
    bringUp(targets: readonly QubitId[], options?: HelperOptions): Promise<StageSummary>;
    /** Rabi, half-pi pulses, T1, T2 echo, Ramsey; mode synchronized. */
    oneQubitCheck(targets: readonly QubitId[], options?: OneQubitOptions): Promise<StageSummary>;
    /** Readout frequency and amplitude, DRAG pulses and their last corrections, readout fidelity, averages, benchmarking; mode synchronized. */
    oneQubitFineTune(targets: readonly QubitId[], options?: OneQubitOptions): Promise<StageSummary>;
    /** Cross resonance, ZX90, Bell states, benchmarking of the pairs of a schedule. */
    twoQubit(schedule: PairSchedule | Schedule, options?: TwoQubitOptions): Promise<StageSummary>;
    /** Runs a stage again on the failed targets with the settings of the next attempt, as long as there is one. */
    retry(stage: Retries): Promise<RetrySummary>;

    /**
     * Keeps what tasks find on targets within specification: runs again the tasks whose values are due, stale, broken or
     * unknown, the cause before what depends on it, until all hold or the time is used up. Each decision is in the log.
     */
    maintain(maintenance: MaintainOptions): Promise<MaintainSummary>;

    /** Which pairs of these qubits can be calibrated together. Fewer than two qubits give an empty schedule. */
    schedulePairs(options?: PairOptions): Promise<PairSchedule>;
    /** What calibration state holds of a parameter, null where it holds nothing. */
    values(
      parameter: string,
      targets: readonly (string | number)[],
    ): Promise<{ [target: string]: number | null }>;

    /** Waits, up to 30 days. Nothing is held or polled meanwhile. */
    sleep(seconds: number): Promise<void>;
    /** Asks people and waits for their answer, or for the deadline. */
    approval(approval: Approval): Promise<{ answer: string; answered_by: string | null; expired: boolean }>;
    /** Ends the flow here as a success; the run shows the reason. */
    end(message: string): never;
    /** Adds a message to the run; console.log does the same. */
    log(...message: unknown[]): void;
    /** Keeps a value under a name with the run. */
    record(name: string, value: JsonValue): void;
  }
}
