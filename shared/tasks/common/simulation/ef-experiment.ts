import type { Populations } from '../../../science/device/third-level.ts';
import { readOutLevels } from '../../../science/device/three-level-readout.ts';
import { populationsAfterTone, type Tone } from '../../../science/device/three-levels.ts';
import { flipProbabilities, loadedPulse, played, populationAfterPulses } from './drag-experiment.ts';
import type { Experiment } from './model.ts';
import { readoutSettings } from './parameters.ts';

/** A tone with the frequency, Rabi frequency and flat length with which it acts on the first transition. GHz, ns. */
export interface EfTone extends Omit<Tone, 'durationNs'> {
  flatNs: number;
}

/**
 * Drive of the transition from the first to the second excited state. Half turns of the first transition, of two loaded
 * pi/2 pulses each, precede and follow it.
 */
export interface EfExperiment {
  /** In thermal equilibrium, and after a half turn. */
  ground: Populations;
  excited: Populations;
  drive(from: Populations, tone: EfTone): Populations;
  /** Swaps ground and first excited state, and leaves the second unchanged. */
  flip(populations: Populations): Populations;
  readOut(populations: readonly Populations[]): ReturnType<typeof readOutLevels>;
}

export function efExperiment(experiment: Experiment): EfExperiment {
  const { qubit, noise } = experiment;
  const quarter = played(qubit, loadedPulse(experiment, 'drag_hpi'));
  const half = [quarter, quarter];
  const { up, down } = flipProbabilities(qubit, half);
  return {
    ground: { excited: qubit.thermalPopulation, second: 0 },
    excited: { excited: populationAfterPulses(qubit, half), second: 0 },
    drive: (from, { flatNs, ...tone }) =>
      populationsAfterTone(qubit, from, { ...tone, durationNs: flatNs + qubit.rampNs }),
    flip: ({ excited, second }) => ({
      excited: (1 - excited - second) * up + excited * (1 - down),
      second,
    }),
    readOut: (populations) => readOutLevels(qubit, readoutSettings(experiment), populations, noise),
  };
}
