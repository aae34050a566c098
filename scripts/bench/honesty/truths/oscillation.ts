import {
  flipProbability,
  type ReadoutSettings,
  separation,
  shotNoise,
} from '../../../../shared/science/device/readout.ts';
import type { Truths } from '../model.ts';

const DEGREES_PER_RADIAN = 180 / Math.PI;

/** True values of a Rabi oscillation in the IQ plane: its amplitude, its phase, and its axis. */
export const oscillation: Truths = ({ qubit, stored, run }) => {
  const of = (name: string) => stored[name] ?? Number.NaN;
  const settings: ReadoutSettings = {
    frequency: of('readout_frequency'),
    amplitude: of('readout_amplitude'),
    lengthNs: of('readout_length'),
    shots: Number(run.shots?.value),
  };
  const driven = qubit.maximumRabiFrequency * of('control_amplitude');
  const frequency = Math.hypot(driven, of('qubit_frequency') - qubit.f01);
  // Qubits that decay during readout look partly like the ground state, and strong readout flips states.
  const decayed = settings.lengthNs / (1000 * qubit.t1);
  const distance = (separation(qubit, settings) * (1 - Math.exp(-decayed))) / decayed;
  const flips = flipProbability(settings);
  const seen = distance * (1 - 2 * flips);
  const reach = (driven / frequency) ** 2 * (1 - 2 * qubit.thermalPopulation);
  const amplitude = (seen * reach) / 2;
  // In the direction of its initial state.
  const angle = qubit.direction + Math.PI;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const excited = distance * flips + seen * qubit.thermalPopulation;
  const start = { re: qubit.groundRe - excited * cos, im: qubit.groundIm - excited * sin };
  return {
    rabi_amplitude: amplitude,
    rabi_phase: 2 * Math.PI * frequency * qubit.rampNs,
    rabi_offset: start.re * cos + start.im * sin - amplitude,
    rabi_angle: DEGREES_PER_RADIAN * angle,
    rabi_noise: shotNoise(qubit, settings) / Math.sqrt(settings.shots),
    rabi_distance: start.im * cos - start.re * sin,
    rabi_reference_phase: Math.atan2(start.im, start.re),
  };
};
