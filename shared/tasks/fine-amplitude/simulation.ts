import type { Dataset } from '../../science/datasets/model.ts';
import { equilibrium, excitedPopulation } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import { loadedPulse, type PlayedPulse, play, played } from '../common/simulation/drag-experiment.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireSweep } from '../common/simulation/parameters.ts';
import { addScaleReferences } from '../common/simulation/scale-references.ts';
import { shorten } from '../common/simulation/sweeps.ts';

const MAX_PULSES = 1000;

/** Numbers of pulses in rising order. @throws if one of them cannot be played */
function countsOf({ run }: Experiment, name: string): number[] {
  const counts = requireSweep(run, name).sort((a, b) => a - b);
  const wrong = counts.find((count) => !Number.isSafeInteger(count) || count < 0 || count > MAX_PULSES);
  if (wrong !== undefined) throw new Error(`The simulator plays 0 to ${MAX_PULSES} pulses, not ${wrong}.`);
  return counts;
}

/** Population after each number of pulses. The pulse `before`, if given, is played first. */
function train(
  { qubit }: Experiment,
  counts: readonly number[],
  pulse: PlayedPulse,
  before?: PlayedPulse,
): number[] {
  let state = equilibrium(qubit);
  if (before !== undefined) state = play(qubit, state, before);
  let made = 0;
  return counts.map((count) => {
    for (; made < count; made++) state = play(qubit, state, pulse);
    return excitedPopulation(state);
  });
}

/** The signals of one train over its numbers of pulses. */
function trainDataset(
  experiment: Experiment,
  name: 'hpi' | 'pi',
  { counts, populations, what }: { counts: number[]; populations: number[]; what: string },
): Dataset {
  const { re, im } = readOut(experiment.qubit, readoutSettings(experiment), populations, experiment.noise);
  const axis = `${name}_pulses`;
  const signal = (values: number[], long_name: string) => ({
    dims: [axis],
    values: shorten(values),
    unit: 'a.u.',
    long_name,
  });
  return {
    dims: { [axis]: counts.length },
    coordinates: { [axis]: { dims: [axis], values: counts, unit: '', long_name: `Number of ${what}` } },
    variables: {
      [`${name}_re`]: signal(re, `In-phase signal after ${what}`),
      [`${name}_im`]: signal(im, `Quadrature signal after ${what}`),
    },
  };
}

/** Trains of quarter turns, and of half turns that start on the equator, with both prepared states as references. */
export const fineAmplitudeSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit } = experiment;
    const halfTurn = loadedPulse(experiment, 'drag_pi');
    const [half, quarter] = [played(qubit, halfTurn), played(qubit, loadedPulse(experiment, 'drag_hpi'))];
    const [quarters, halves] = [countsOf(experiment, 'hpi_pulses'), countsOf(experiment, 'pi_pulses')];
    const first = trainDataset(experiment, 'hpi', {
      counts: quarters,
      populations: train(experiment, quarters, quarter),
      what: 'pi/2 pulses',
    });
    const second = trainDataset(experiment, 'pi', {
      counts: halves,
      populations: train(experiment, halves, half, quarter),
      what: 'pi pulses after a pi/2 pulse',
    });
    const both = {
      dims: { ...first.dims, ...second.dims },
      coordinates: { ...first.coordinates, ...second.coordinates },
      variables: { ...first.variables, ...second.variables },
    };
    return addScaleReferences(both, experiment, halfTurn, 1);
  },
};
