import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireSweep } from '../common/simulation/parameters.ts';
import { excitedByControl } from '../common/simulation/readout-sweep.ts';
import { readShots, shotsDataset } from '../common/simulation/single-shots.ts';
import { shorten } from '../common/simulation/sweeps.ts';

/** Maximum number of values. More would make a file of tens of megabytes. */
const MAX_VALUES = 2_000_000;

/** Single shots of both prepared states at each readout amplitude. */
export const optimalReadoutAmplitudeSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, run, noise } = experiment;
    const amplitudes = shorten(requireSweep(run, 'amplitude_range'));
    const settings = readoutSettings(experiment);
    const count = amplitudes.length * 2 * settings.shots;
    if (!Number.isSafeInteger(settings.shots) || count > MAX_VALUES) {
      throw new Error(`The simulator keeps at most ${MAX_VALUES} single shots, not ${count}.`);
    }
    const prepared = [qubit.thermalPopulation, excitedByControl(experiment)];
    const clouds = amplitudes.flatMap((amplitude) =>
      prepared.map((population) => readShots(qubit, { ...settings, amplitude }, population, noise)),
    );
    return shotsDataset(clouds, settings.shots, {
      name: 'amplitude',
      coordinate: {
        dims: ['amplitude'],
        values: amplitudes,
        unit: 'a.u.',
        long_name: 'Amplitude of the readout pulse',
      },
    });
  },
};
