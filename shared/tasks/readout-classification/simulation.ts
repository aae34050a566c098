import { loadedPulse, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings } from '../common/simulation/parameters.ts';
import { readShots, shotsDataset } from '../common/simulation/single-shots.ts';

/** Maximum number of shots. More would only make files larger, because errors are already far below one percent. */
const MAX_SHOTS = 50_000;

/** Single shots after preparing the ground state (doing nothing) and the excited one (two pi/2 pulses). */
export const readoutClassificationSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, noise } = experiment;
    const settings = readoutSettings(experiment);
    if (!Number.isSafeInteger(settings.shots) || settings.shots > MAX_SHOTS) {
      throw new Error(`The simulator keeps at most ${MAX_SHOTS} single shots, not ${settings.shots}.`);
    }
    const pulse = played(qubit, loadedPulse(experiment, 'drag_hpi'));
    const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, [pulse, pulse])];
    const clouds = prepared.map((population) => readShots(qubit, settings, population, noise));
    return shotsDataset(clouds, settings.shots);
  },
};
