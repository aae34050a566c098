import { addLineNoise, isSpur, sweepLine } from '../../science/device/reflection.ts';
import { withLineDesign } from '../common/simulation/line-design.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { bandSweep, mapDataset } from '../common/simulation/spectroscopy.ts';

/** Sweeps a readout tone over all resonators of the line, for each power. */
export const resonatorSpectroscopySimulation: QubitSimulation = {
  shared: 'mux',
  measure({ qubit, muxMates, run, noise }) {
    const frequencies = bandSweep(run);
    const powers = requireSweep(run, 'power_range');
    const shots = requireNumber(run, 'shots');
    const mates = muxMates();
    const scrambled = frequencies.map((frequency) => (isSpur(frequency) ? noise.between(0.5, 5.5) : null));
    const rows = powers.map((power) => {
      const signals = sweepLine(mates, frequencies, power).map((signal, index) => {
        const phase = scrambled[index];
        if (phase === null || phase === undefined) return signal;
        const [cos, sin] = [Math.cos(phase), Math.sin(phase)];
        return { re: signal.re * cos - signal.im * sin, im: signal.re * sin + signal.im * cos };
      });
      return addLineNoise(signals, qubit, { amplitude: 10 ** (power / 20), shots }, noise);
    });
    return withLineDesign(mapDataset(powers, frequencies, rows));
  },
};
