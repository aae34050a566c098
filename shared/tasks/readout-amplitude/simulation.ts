import { REFERENCE_SHOTS, reflect } from '../../science/device/reflection.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { shorten, sweepDataset } from '../common/simulation/sweeps.ts';

/** Mean and scatter of the single shots for each readout amplitude. */
export const readoutAmplitudeSimulation: QubitSimulation = {
  measure({ qubit, inputs, run, noise }) {
    const points = requireSweep(run, 'amplitude_range');
    const shots = requireNumber(run, 'shots');
    const { re, im } = reflect(qubit, requireNumber(inputs, 'readout_frequency') - qubit.resonatorGround);
    // Noise of one shot and quadrature, not relative to the tone.
    const shotNoise = qubit.lineNoise * Math.sqrt(REFERENCE_SHOTS);
    const signals = { re: [] as number[], im: [] as number[] };
    const scatter: number[] = [];
    for (const amplitude of points) {
      signals.re.push(amplitude * re + (shotNoise / Math.sqrt(shots)) * noise.normal());
      signals.im.push(amplitude * im + (shotNoise / Math.sqrt(shots)) * noise.normal());
      // The standard deviation of the scatter, which is computed from 2 N numbers.
      scatter.push(Math.SQRT2 * shotNoise * (1 + noise.normal() / Math.sqrt(4 * shots)));
    }
    const axis = { name: 'amplitude', longName: 'Amplitude of the readout pulse', unit: 'a.u.', points };
    const dataset = sweepDataset(axis, signals);
    dataset.variables.noise = {
      dims: ['amplitude'],
      values: shorten(scatter),
      unit: 'a.u.',
      long_name: 'Standard deviation of single shots in the IQ plane',
    };
    return dataset;
  },
};
