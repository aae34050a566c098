import { addLineNoise, sweepLine } from '../../science/device/reflection.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { mapDataset } from '../common/simulation/spectroscopy.ts';

/** Sweeps the tone over the line towards higher frequencies, once for each power. */
export const punchOutSimulation: QubitSimulation = {
  measure({ qubit, muxMates, inputs, run, noise }) {
    const stored = requireNumber(inputs, 'readout_frequency');
    const frequencies = requireSweep(run, 'frequency_range')
      .map((offset) => stored + offset)
      .sort((a, b) => a - b);
    const powers = requireSweep(run, 'power_range');
    const shots = requireNumber(run, 'shots');
    const mates = muxMates();
    const rows = powers.map((power) =>
      addLineNoise(
        sweepLine(mates, frequencies, power),
        qubit,
        { amplitude: 10 ** (power / 20), shots },
        noise,
      ),
    );
    return mapDataset(powers, frequencies, rows);
  },
};
