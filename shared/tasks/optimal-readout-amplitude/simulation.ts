import { readoutSettings, requireSweep, shorten, type TaskPhysics } from '../common/simulation/physics.ts';
import { readShots, shotsDataset } from '../common/simulation/single-shots.ts';
import { excitedByControl } from '../readout-frequency/simulation.ts';

/** More values would make a file of tens of megabytes. */
const MOST_VALUES = 2_000_000;

/** Single shots of both prepared states at each readout amplitude. */
export const optimalReadoutAmplitudePhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, run, noise } = experiment;
    const amplitudes = shorten(requireSweep(run, 'amplitude_range'));
    const settings = readoutSettings(experiment);
    const count = amplitudes.length * 2 * settings.shots;
    if (!Number.isSafeInteger(settings.shots) || count > MOST_VALUES) {
      throw new Error(`The simulator keeps at most ${MOST_VALUES} single shots, not ${count}.`);
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
