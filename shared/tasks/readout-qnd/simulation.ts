import type { Dataset } from '../../science/datasets/model.ts';
import { loadedPulse, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber } from '../common/simulation/parameters.ts';
import { shotReader } from '../common/simulation/single-shots.ts';
import { twoReadings } from '../common/simulation/two-readings.ts';

/**
 * Reads each shot twice. Flips and decay during the first readout change the state that the second one finds. In the
 * pause between them the qubit relaxes towards its thermal population.
 */
export const readoutQndSimulation: QubitSimulation = {
  measure(experiment): Dataset {
    const { qubit, noise, run } = experiment;
    const settings = readoutSettings(experiment);
    const kept = Math.exp(-requireNumber(run, 'pause') / (1000 * qubit.t1));
    const pulse = played(qubit, loadedPulse(experiment, 'drag_hpi'));
    const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, [pulse, pulse])];
    const read = shotReader(qubit, settings, noise);
    const longName = 'First or second readout of a shot';
    return twoReadings(settings, { prepared, longName }, (population) => {
      let excited = noise.uniform() < population;
      return [1, 2].map(() => {
        const found = read(excited);
        excited = noise.uniform() < kept ? found.excited : noise.uniform() < qubit.thermalPopulation;
        return found;
      });
    });
  },
};
