import type { Dataset } from '../../science/datasets/model.ts';
import { loadedPulse, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber } from '../common/simulation/parameters.ts';
import { shotReader, shotsDataset } from '../common/simulation/single-shots.ts';

/** Shots of each state at most: two readings of both make four values of each. */
const MOST_SHOTS = 25_000;

/**
 * Two readings of each shot. What the first does to the qubit, by flipping it or because it decays meanwhile, is what the
 * second finds; in the pause between them the qubit relaxes towards its thermal population.
 */
export const readoutQndSimulation: QubitSimulation = {
  measure(experiment): Dataset {
    const { qubit, noise, run } = experiment;
    const settings = readoutSettings(experiment);
    if (!Number.isSafeInteger(settings.shots) || settings.shots > MOST_SHOTS) {
      throw new Error(`The simulator keeps at most ${MOST_SHOTS} pairs of shots, not ${settings.shots}.`);
    }
    const kept = Math.exp(-requireNumber(run, 'pause') / (1000 * qubit.t1));
    const pulse = played(qubit, loadedPulse(experiment, 'drag_hpi'));
    const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, [pulse, pulse])];
    const read = shotReader(qubit, settings, noise);
    const readings = [0, 1].map(() => prepared.map(() => ({ re: [] as number[], im: [] as number[] })));
    for (const [state, population] of prepared.entries()) {
      for (let shot = 0; shot < settings.shots; shot++) {
        let excited = noise.uniform() < population;
        for (const reading of readings) {
          const found = read(excited);
          reading[state]?.re.push(found.re);
          reading[state]?.im.push(found.im);
          excited = noise.uniform() < kept ? found.excited : noise.uniform() < qubit.thermalPopulation;
        }
      }
    }
    return shotsDataset(readings.flat(), settings.shots, {
      name: 'reading',
      coordinate: {
        dims: ['reading'],
        values: [1, 2],
        unit: '',
        long_name: 'First or second readout of a shot',
      },
    });
  },
};
