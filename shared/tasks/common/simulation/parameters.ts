import { PULSE_REPETITIONS } from '../../../science/conventions/pulse.ts';
import type { ReadoutSettings } from '../../../science/device/readout.ts';
import type { ResolvedParameters } from '../../model.ts';
import { readNumber, sweepPoints } from '../../run-parameters.ts';
import type { Experiment } from './model.ts';

/**
 * Reads a number that the measurement requires.
 * @throws a message if it is missing or not a number
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

/** The points of `time_range`, and those of `fine_time_range` between them if the task has that. */
export function requireTimes(parameters: ResolvedParameters): number[] {
  const times = requireSweep(parameters, 'time_range');
  if (parameters.fine_time_range === undefined) return times;
  const last = Math.max(...times);
  const further = requireSweep(parameters, 'fine_time_range').filter((time) => time < last);
  return [...new Set([...times, ...further])].sort((a, b) => a - b);
}

/**
 * Readout settings of a task, from its inputs and its number of shots.
 *
 * @param otherShots number of shots for a task without that setting
 */
export function readoutSettings(
  { inputs, run }: Pick<Experiment, 'inputs' | 'run'>,
  otherShots?: number,
): ReadoutSettings {
  const settings = {
    frequency: requireNumber(inputs, 'readout_frequency'),
    amplitude: requireNumber(inputs, 'readout_amplitude'),
    lengthNs: requireNumber(inputs, 'readout_length'),
    shots: otherShots !== undefined && run.shots === undefined ? otherShots : requireNumber(run, 'shots'),
  };
  if (!(settings.shots >= 1)) throw new Error('The simulator needs at least one shot.');
  if (!(settings.lengthNs > 0)) throw new Error('The simulator needs a readout_length above 0 ns.');
  return settings;
}

/** Numbers of repetitions from zero to the maximum of a check. @throws if there are too many or none */
export function repetitionCounts(run: ResolvedParameters): number[] {
  const most = requireNumber(run, 'repetitions');
  if (!Number.isSafeInteger(most) || most < 1 || most > PULSE_REPETITIONS.most) {
    throw new Error(`The simulator repeats 1 to ${PULSE_REPETITIONS.most} times, not ${most}.`);
  }
  return Array.from({ length: most + 1 }, (_, count) => count);
}
