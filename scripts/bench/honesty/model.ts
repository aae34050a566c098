import type { Dataset } from '../../../shared/science/datasets/model.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { TruePair } from '../../../shared/science/device/pair-device.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import type { AnalysedInput } from '../../../shared/tasks/common/analysis/model.ts';
import type { PairExperiment } from '../../../shared/tasks/common/simulation/model.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';

/**
 * Group of a measurement: healthy devices, devices or settings at the extremes of known ranges, imperfect devices or
 * instruments, data in the forms that labs send, or spoilt data.
 */
export type Group = 'healthy' | 'extreme' | 'imperfect' | 'labs' | 'spoilt';

/** The stored calibration values before a task, by name. */
export type StoredValues = Record<string, number>;

/** A planned measurement of a qubit: the truth, the stored values, and the settings. */
export interface Trial {
  qid: string;
  qubit: TrueQubit;
  mates: TrueQubit[];
  /** The other qubits on the readout line, each in a pair with this qubit as its target. */
  neighbours: TruePair[];
  stored: StoredValues;
  run: ResolvedParameters;
  random: Random;
}

/** Measures once. `changes` of the truth and of the number of shots allow mixtures of several devices. */
export type MeasureOnce = (changes?: { qubit?: TrueQubit; shotsPart?: number }) => Dataset;

/** Values of outputs, by name. */
export type Values = Readonly<Record<string, number>>;
type Found = Readonly<Record<string, { value: number }>>;

/** True values of outputs. Only these outputs are judged. */
export type Truths = (trial: Trial & { dataset: Dataset }, found: Found) => Values;

interface AnyKind {
  name: string;
  group: Group;
  task: string;
  /** Row of the table for kinds that differ only in their task; by default the name. */
  family?: string;
  /** Settings instead of the catalog's, the same for all measurements or drawn for each. */
  run?: Record<string, unknown> | ((random: Random) => Record<string, unknown>);
  /** Sends the data like a backend, and returns the data that were read. */
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
  /** The device at a time in seconds after the start of the measurement; unchanged by default. */
  later?(trial: Trial, seconds: number): TrueQubit;
  /** Changes the stored values. */
  changeStored?(stored: StoredValues, trial: Pick<Trial, 'qubit' | 'random'>): StoredValues;
  /** Produces the data in another way than by measuring once. */
  measure?(once: MeasureOnce, trial: Trial): Dataset;
}

/** True values of a pair's outputs. */
export type PairTruths = (experiment: PairExperiment, found: Found) => Values;

/** One kind of measurement of a pair. */
export interface PairKind extends AnyKind {
  of: 'pair';
  truths: PairTruths;
  /** Changes both qubits of a seed. */
  device?(qubit: TrueQubit, role: 'control' | 'target', random: Random): TrueQubit;
  /** Whether the created gate is stored, even for a task that does not play it. */
  isMade?: true;
  /** Changes the stored values. */
  changeStored?(stored: StoredValues, trial: { pair: TruePair; random: Random }): StoredValues;
  /** Produces the data in another way than by measuring once; `qubit` is the target. */
  measure?(once: MeasureOnce, trial: { qubit: TrueQubit; random: Random }): Dataset;
}

/** One kind of measurement of the campaign. */
export type Kind = QubitKind | PairKind;

/** A kind without its group, which its list determines. */
export type Listed = Omit<QubitKind, 'group'> | Omit<PairKind, 'group'>;

export type Outcome = 'accepted' | 'false' | 'refused';

/** The outcome of one measurement. */
export interface Verdict {
  kind: string;
  outcome: Outcome;
  /** Deviations of the accepted values from the truth, in standard errors. */
  pulls: Record<string, number>;
  /** The gate's message. */
  message: string | null;
  seed: string;
}

export type Inputs = Record<string, AnalysedInput>;
