import type { Dataset } from '../../../science/datasets/model.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import type { Random } from '../../../science/device/random.ts';
import type { AveragedSignals, ReadoutSettings } from '../../../science/device/readout.ts';
import type { ResolvedParameters } from '../../model.ts';
import { readNumber, sweepPoints } from '../../run-parameters.ts';

/** What a task's physics is given: the hidden truth, and the parameters that the task loaded. */
export interface Experiment {
  qid: string;
  /** As it is during this measurement, after its jitter. */
  qubit: TrueQubit;
  /** The qubits on the same readout line in the order of their places, this one among them. */
  muxMates(): TrueQubit[];
  inputs: ResolvedParameters;
  run: ResolvedParameters;
  /** Shot and amplifier noise. */
  noise: Random;
}

/** The physics of one task. */
export interface TaskPhysics {
  /** What fluctuates from one measurement to the next; the truth that this measurement's data follow. */
  jitter?(qubit: TrueQubit, random: Random): TrueQubit;
  measure(experiment: Experiment): Dataset;
  /** All targets on one readout line get the same data, measured once. */
  shared?: 'mux';
}

/**
 * Reads a number that the measurement needs.
 * @throws a sentence when it is missing or not a number
 */
export function requireNumber(parameters: ResolvedParameters, name: string): number {
  const parameter = parameters[name];
  if (parameter === undefined) throw new Error(`The simulator needs the parameter ${name}.`);
  const number = readNumber(parameter.value);
  if (!number.ok) throw new Error(`The simulator cannot use the parameter ${name}: ${number.problem}.`);
  return number.value;
}

/** The points of a sweep; throws like {@link requireNumber}. */
export function requireSweep(parameters: ResolvedParameters, name: string): number[] {
  const parameter = parameters[name];
  if (parameter === undefined) throw new Error(`The simulator needs the parameter ${name}.`);
  const points = sweepPoints(parameter);
  if (!points.ok) throw new Error(`The simulator cannot use the parameter ${name}: ${points.problem}.`);
  return points.value;
}

/** How the task reads out, from its inputs and its number of shots. */
export function readoutSettings({ inputs, run }: Experiment): ReadoutSettings {
  const settings = {
    frequency: requireNumber(inputs, 'readout_frequency'),
    amplitude: requireNumber(inputs, 'readout_amplitude'),
    lengthNs: requireNumber(inputs, 'readout_length'),
    shots: requireNumber(run, 'shots'),
  };
  if (!(settings.shots >= 1)) throw new Error('The simulator needs at least one shot.');
  if (!(settings.lengthNs > 0)) throw new Error('The simulator needs a readout_length above 0 ns.');
  return settings;
}

/** A complex signal over one axis, as every averaged measurement gives it. */
export function sweepDataset(
  axis: { name: string; longName: string; unit: string; points: readonly number[] },
  signals: AveragedSignals,
): Dataset {
  const dims = [axis.name];
  return {
    dims: { [axis.name]: axis.points.length },
    coordinates: {
      [axis.name]: { dims, values: shorten(axis.points), unit: axis.unit, long_name: axis.longName },
    },
    variables: {
      iq_re: { dims, values: shorten(signals.re), unit: 'a.u.', long_name: 'In-phase signal, averaged' },
      iq_im: { dims, values: shorten(signals.im), unit: 'a.u.', long_name: 'Quadrature signal, averaged' },
    },
  };
}

/** Seven significant digits are finer than any noise here, and keep datasets small enough to travel inline. */
export function shorten(values: readonly number[]): number[] {
  return values.map((value) => Number(value.toPrecision(7)));
}

/**
 * Probability to leave the state after driving for `durationNs` at `detuning` from resonance: textbook Rabi with
 * W = √(Ω² + Δ²), decaying at 3/(4 T1) + 1/(2 Tφ). Frequencies in GHz.
 */
export function drivenTransition(
  qubit: TrueQubit,
  drive: { rabiFrequency: number; detuning: number; durationNs: number },
): number {
  const generalised = Math.hypot(drive.rabiFrequency, drive.detuning);
  if (generalised === 0) return 0;
  const dephasing = Math.max(0, 1 / qubit.t2Echo - 1 / (2 * qubit.t1));
  const rate = (3 / (4 * qubit.t1) + dephasing / 2) / 1000;
  const contrast = (drive.rabiFrequency / generalised) ** 2;
  const oscillation = Math.cos(2 * Math.PI * generalised * drive.durationNs);
  return (contrast * (1 - Math.exp(-rate * drive.durationNs) * oscillation)) / 2;
}

/** Population after a transition of given probability, from thermal equilibrium. */
export function populationAfter(qubit: TrueQubit, transition: number): number {
  return qubit.thermalPopulation + (1 - 2 * qubit.thermalPopulation) * transition;
}
