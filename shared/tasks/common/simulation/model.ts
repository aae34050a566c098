import type { Dataset } from '../../../science/datasets/model.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import type { TruePair } from '../../../science/device/pair-device.ts';
import type { Random } from '../../../science/device/random.ts';
import type { ResolvedParameters } from '../../model.ts';

/** What the simulation of a one-qubit task is given: the hidden truth, and the parameters that the task loaded. */
export interface Experiment {
  qid: string;
  /** As it is during this measurement, after its jitter. */
  qubit: TrueQubit;
  /** The qubits on the same readout line in the order of their places, this one among them. */
  muxMates(): TrueQubit[];
  /** The others on that line, each in a pair with this qubit as its target. */
  neighbours(): TruePair[];
  /** This qubit so many seconds after the measurement began; absent where the device stands still. */
  later?(seconds: number): TrueQubit;
  inputs: ResolvedParameters;
  run: ResolvedParameters;
  /** Shot and amplifier noise. */
  noise: Random;
}

/** Simulates one measurement of one qubit. */
export interface QubitSimulation {
  /** What fluctuates from one measurement to the next; the truth that this measurement's data follow. */
  jitter?(qubit: TrueQubit, random: Random): TrueQubit;
  measure(experiment: Experiment): Dataset;
  /** All targets on one readout line get the same data, measured once. */
  shared?: 'mux';
}

/** What the simulation of a coupling task is given: the hidden truth, and each qubit as an experiment of its own. */
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

/** What a task of the boxes is given. */
export interface BoxSetup {
  targets: readonly string[];
  run: ResolvedParameters;
}

/** Simulates a task that sets boxes up and measures nothing: what it did, as the boxes' log says it. */
export type BoxSetupSimulation = (setup: BoxSetup) => string;
