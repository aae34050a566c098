import type { Dataset } from '../../../science/datasets/model.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import type { TruePair } from '../../../science/device/pair-device.ts';
import type { Random } from '../../../science/device/random.ts';
import type { ResolvedParameters } from '../../model.ts';

/** Input of a one-qubit simulation: the hidden truth, and the parameters that the task loaded. */
export interface Experiment {
  qid: string;
  /** The qubit during this measurement, including its jitter. */
  qubit: TrueQubit;
  /** All qubits on the same readout line in the order of their places, including this one. */
  muxMates(): TrueQubit[];
  /** The other qubits on that line, each in a pair with this qubit as its target. */
  neighbours(): TruePair[];
  /** This qubit a number of seconds after the start of the measurement; absent if the device does not drift. */
  later?(seconds: number): TrueQubit;
  inputs: ResolvedParameters;
  run: ResolvedParameters;
  /** Shot and amplifier noise. */
  noise: Random;
}

/** Simulates one measurement of one qubit. */
export interface QubitSimulation {
  /** Fluctuations between measurements: returns the truth for this measurement's data. */
  jitter?(qubit: TrueQubit, random: Random): TrueQubit;
  measure(experiment: Experiment): Dataset;
  /** All targets on one readout line get the same data, measured once. */
  shared?: 'mux';
}

/** Input of a coupling simulation: the hidden truth, and each qubit as a separate experiment. */
export interface PairExperiment {
  pair: TruePair;
  control: Experiment;
  target: Experiment;
  inputs: ResolvedParameters;
  run: ResolvedParameters;
  noise: Random;
}

/** Simulates one measurement of one coupling. */
export interface PairSimulation {
  measure(experiment: PairExperiment): Dataset;
}

/** Input of a task that sets up the boxes. */
export interface BoxSetup {
  targets: readonly string[];
  run: ResolvedParameters;
}

/** Simulates a task that sets up boxes without measuring; returns the boxes' log. */
export type BoxSetupSimulation = (setup: BoxSetup) => string;
