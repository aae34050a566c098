import type { Dataset } from '../../../shared/science/datasets/model.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import type { AnalysedInput } from '../../../shared/tasks/common/analysis/model.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';

/** Whether a measurement is as usual, of a device or a setting at the edge of what is known, or of spoilt data. */
export type Group = 'healthy' | 'extreme' | 'spoilt';

/** What a task believes before it measures, by the name of the calibration value. */
export type Believed = Record<string, number>;

/** A measurement about to be made: the truth, what is believed of it, and with which settings. */
export interface Trial {
  qid: string;
  qubit: TrueQubit;
  mates: TrueQubit[];
  believed: Believed;
  run: ResolvedParameters;
  random: Random;
}

/** Measures once; `changes` of the truth and of the number of shots make mixtures of several devices. */
export type MeasureOnce = (changes?: { qubit?: TrueQubit; shotsPart?: number }) => Dataset;

/** Values that outputs should have; only the outputs named are judged. */
export type Truths = (
  trial: Trial,
  found: Readonly<Record<string, { value: number }>>,
) => Readonly<Record<string, number>>;

/** One kind of measurement of the campaign. */
export interface Kind {
  name: string;
  group: Group;
  task: string;
  truths: Truths;
  /** Changes the device of a seed. */
  device?(qubit: TrueQubit, random: Random): TrueQubit;
  /** Changes what the task believes. */
  believe?(believed: Believed, trial: Pick<Trial, 'qubit' | 'random'>): Believed;
  /** Settings in place of the catalog's. */
  run?: Record<string, unknown>;
  /** Makes the data in another way than by measuring once. */
  measure?(once: MeasureOnce, trial: Trial): Dataset;
  /** Spoils the data. */
  spoil?(dataset: Dataset, random: Random): void;
}

export type Outcome = 'accepted' | 'false' | 'refused';

/** What became of one measurement. */
export interface Verdict {
  kind: string;
  outcome: Outcome;
  /** Deviations from the truth in standard errors, of what was accepted. */
  pulls: Record<string, number>;
  /** The gate's sentence. */
  message: string | null;
  seed: string;
}

export type Inputs = Record<string, AnalysedInput>;
