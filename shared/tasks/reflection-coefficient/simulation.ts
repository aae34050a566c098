import { addLineNoise, sweepLine } from '../../science/device/reflection.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber } from '../common/simulation/parameters.ts';
import { frequencyAxis } from '../common/simulation/spectroscopy.ts';
import { pointsAround, sweepDataset } from '../common/simulation/sweeps.ts';
/** A fine sweep around the resonator as it is believed to lie. */
export const reflectionSimulation: QubitSimulation = {
  measure({ qubit, muxMates, inputs, run, noise }) {
    const centre = requireNumber(inputs, 'readout_frequency');
    const [width, step] = [requireNumber(run, 'frequency_width'), requireNumber(run, 'frequency_step')];
    if (!(step > 0 && width > step)) {
      throw new Error('The simulator needs a frequency_step above 0 and below the frequency_width.');
    }
    const points = pointsAround(centre, { reach: width / 2, step });
    const tone = { amplitude: requireNumber(run, 'readout_amplitude'), shots: requireNumber(run, 'shots') };
    const signals = sweepLine(muxMates(), points, 20 * Math.log10(tone.amplitude));
    return sweepDataset(
      frequencyAxis(points, 'Frequency of the readout tone'),
      addLineNoise(signals, qubit, tone, noise),
    );
  },
};
