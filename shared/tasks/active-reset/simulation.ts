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
import { shotReader } from '../common/simulation/single-shots.ts';
import { twoReadings } from '../common/simulation/two-readings.ts';

/** The decision of the instrument during a measurement: the prepared state with the nearer averaged signal. */
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
 * Each shot is read, flipped if the instrument assigns it to the excited state, and read again. Wrong decisions, decay
 * during and after the readout, heating and pulse errors leave the qubit excited.
 */
export const activeResetSimulation: QubitSimulation = {
  measure(experiment): Dataset {
    const { qubit, noise, run } = experiment;
    const settings = readoutSettings(experiment);
    const kept = Math.exp(-requireNumber(run, 'latency') / (1000 * qubit.t1));
    const quarter = played(qubit, loadedPulse(experiment, 'drag_hpi'));
    const half = [quarter, quarter];
    const { up, down } = flipProbabilities(qubit, half);
    const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, half)];
    const isExcited = decision(experiment, settings, prepared);
    const read = shotReader(qubit, settings, noise);
    const longName = 'Readout before (1) or after (2) the reset';
    return twoReadings(settings, { prepared, longName }, (population) => {
      const before = read(noise.uniform() < population);
      const waited = noise.uniform() < kept ? before.excited : noise.uniform() < qubit.thermalPopulation;
      const flips = isExcited(before) && noise.uniform() < (waited ? down : up);
      return [before, read(waited !== flips)];
    });
  },
};
