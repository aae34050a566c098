import type { Dataset } from '../../../shared/science/datasets/model.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { TruePair } from '../../../shared/science/device/pair-device.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import type { AnalysedInput } from '../../../shared/tasks/common/analysis/model.ts';
import type { PairExperiment } from '../../../shared/tasks/common/simulation/model.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';

/**
 * Whether a measurement is as usual, of a device or a setting at the edge of what is known, of a device or an instrument
 * that is not ideal as labs have them, of data as labs send them, or of spoilt data.
 */
export type Group = 'healthy' | 'extreme' | 'imperfect' | 'labs' | 'spoilt';

/** What a task believes before it measures, by the name of the calibration value. */
export type Believed = Record<string, number>;

/** A measurement of a qubit about to be made: the truth, what is believed of it, and with which settings. */
export interface Trial {
  qid: string;
  qubit: TrueQubit;
  mates: TrueQubit[];
  /** The others on the readout line, each in a pair with this qubit as its target. */
  neighbours: TruePair[];
  believed: Believed;
  run: ResolvedParameters;
  random: Random;
}

/** Measures once; `changes` of the truth and of the number of shots make mixtures of several devices. */
export type MeasureOnce = (changes?: { qubit?: TrueQubit; shotsPart?: number }) => Dataset;

/** Values of outputs, by name. */
export type Values = Readonly<Record<string, number>>;
type Found = Readonly<Record<string, { value: number }>>;

/** Values that outputs should have; only the outputs named are judged. */
export type Truths = (trial: Trial & { dataset: Dataset }, found: Found) => Values;

interface AnyKind {
  name: string;
  group: Group;
  task: string;
  /** What the table counts kinds under that differ in their task only; the name where it is left out. */
  family?: string;
  /** Settings in place of the catalog's, the same for all measurements or drawn for each. */
  run?: Record<string, unknown> | ((random: Random) => Record<string, unknown>);
  /** Sends the data as a backend does and gives what was read of them. */
  send?(dataset: Dataset, random: Random): Promise<Dataset>;
  /** Spoils the data. */
  spoil?(dataset: Dataset, random: Random): void;
}

/** One kind of measurement of a qubit. */
export interface QubitKind extends AnyKind {
  of?: 'qubit';
  truths: Truths;
  /** Changes the device of a seed. */
  device?(qubit: TrueQubit, random: Random): TrueQubit;
  /** The device at the given time in seconds after the start of the measurement; unchanged by default. */
  later?(trial: Trial, seconds: number): TrueQubit;
  /** Changes what the task believes. */
  believe?(believed: Believed, trial: Pick<Trial, 'qubit' | 'random'>): Believed;
  /** Makes the data in another way than by measuring once. */
  measure?(once: MeasureOnce, trial: Trial): Dataset;
}

/** Values that outputs of a pair should have. */
export type PairTruths = (experiment: PairExperiment, found: Found) => Values;

/** One kind of measurement of a pair. */
export interface PairKind extends AnyKind {
  of: 'pair';
  truths: PairTruths;
  /** Changes both qubits of a seed. */
  device?(qubit: TrueQubit, role: 'control' | 'target', random: Random): TrueQubit;
  /** Whether the task believes the gate as it was created, also if it is not one that plays it. */
  isMade?: true;
  /** Changes what the task believes. */
  believe?(believed: Believed, trial: { pair: TruePair; random: Random }): Believed;
  /** Makes the data in another way than by measuring once; `qubit` is the target. */
  measure?(once: MeasureOnce, trial: { qubit: TrueQubit; random: Random }): Dataset;
}

/** One kind of measurement of the campaign. */
export type Kind = QubitKind | PairKind;

/** A kind without its group, which is that of its list. */
export type Listed = Omit<QubitKind, 'group'> | Omit<PairKind, 'group'>;

export type Outcome = 'accepted' | 'false' | 'refused';

/** The outcome of one measurement. */
export interface Verdict {
  kind: string;
  outcome: Outcome;
  /** Deviations from the truth in standard errors, of what was accepted. */
  pulls: Record<string, number>;
  /** The gate's message. */
  message: string | null;
  seed: string;
}

export type Inputs = Record<string, AnalysedInput>;
