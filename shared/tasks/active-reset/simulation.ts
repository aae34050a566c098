import type { Dataset } from '../../science/datasets/model.ts';
import { readOut } from '../../science/device/readout.ts';
import {
  flipProbabilities,
  loadedPulse,
  played,
  populationAfterPulses,
} from '../common/simulation/drag-experiment.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber } from '../common/simulation/parameters.ts';
import { shotReader, shotsDataset } from '../common/simulation/single-shots.ts';

/** Shots of each state at most: two readings of both make four values of each. */
const MOST_SHOTS = 25_000;

/** How the instrument decides while it measures: which of the averaged signals of both prepared states is nearer. */
function decision(
  { qubit, noise }: Experiment,
  settings: ReturnType<typeof readoutSettings>,
  prepared: readonly number[],
): (shot: { re: number; im: number }) => boolean {
  const { re, im } = readOut(qubit, settings, prepared, noise);
  const [fromRe = 0, toRe = 0] = re;
  const [fromIm = 0, toIm = 0] = im;
  const [axisRe, axisIm] = [toRe - fromRe, toIm - fromIm];
  const middle = ((fromRe + toRe) * axisRe + (fromIm + toIm) * axisIm) / 2;
  return (shot) => shot.re * axisRe + shot.im * axisIm > middle;
}

/**
 * Each shot is read, turned back where the instrument takes it for excited, and read again. Errors of the decision, decay
 * during the readout and after it, heat and the pulses leave the qubit excited.
 */
export const activeResetSimulation: QubitSimulation = {
  measure(experiment): Dataset {
    const { qubit, noise, run } = experiment;
    const settings = readoutSettings(experiment);
    if (!Number.isSafeInteger(settings.shots) || settings.shots > MOST_SHOTS) {
      throw new Error(`The simulator keeps at most ${MOST_SHOTS} pairs of shots, not ${settings.shots}.`);
    }
    const kept = Math.exp(-requireNumber(run, 'latency') / (1000 * qubit.t1));
    const quarter = played(qubit, loadedPulse(experiment, 'drag_hpi'));
    const half = [quarter, quarter];
    const { up, down } = flipProbabilities(qubit, half);
    const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, half)];
    const isExcited = decision(experiment, settings, prepared);
    const read = shotReader(qubit, settings, noise);
    const readings = [0, 1].map(() => prepared.map(() => ({ re: [] as number[], im: [] as number[] })));
    for (const [state, population] of prepared.entries()) {
      for (let shot = 0; shot < settings.shots; shot++) {
        const before = read(noise.uniform() < population);
        const waited = noise.uniform() < kept ? before.excited : noise.uniform() < qubit.thermalPopulation;
        const flips = isExcited(before) && noise.uniform() < (waited ? down : up);
        const after = read(waited !== flips);
        for (const [reading, found] of [before, after].entries()) {
          readings[reading]?.[state]?.re.push(found.re);
          readings[reading]?.[state]?.im.push(found.im);
        }
      }
    }
    return shotsDataset(readings.flat(), settings.shots, {
      name: 'reading',
      coordinate: {
        dims: ['reading'],
        values: [1, 2],
        unit: '',
        long_name: 'Readout before (1) or after (2) the reset',
      },
    });
  },
};
