import type { Dataset } from '../../../science/datasets/model.ts';
import type { DragPulse } from '../../../science/device/drag-pulses.ts';
import { readOut } from '../../../science/device/readout.ts';
import { played, populationAfterPulses } from './drag-experiment.ts';
import type { Experiment } from './model.ts';
import { readoutSettings } from './parameters.ts';
import { shorten } from './sweeps.ts';

/** Repetitions of each state. With this many, the midpoint between the states is known better than any measured point. */
const REPETITIONS = 10;

/**
 * Adds both states, each several times, to a dataset: the ground state, and the excited state after two pi/2 pulses or
 * one pi pulse. From them an analysis determines the positions of population 0 and 1 and their errors.
 */
export function addScaleReferences(
  dataset: Dataset,
  experiment: Experiment,
  pulse: DragPulse,
  pulsesToExcite: 1 | 2,
): Dataset {
  const { qubit, noise } = experiment;
  const flip = played(qubit, pulse);
  const excited = populationAfterPulses(
    qubit,
    Array.from({ length: pulsesToExcite }, () => flip),
  );
  const populations = [qubit.thermalPopulation, excited].flatMap((population) =>
    Array.from({ length: REPETITIONS }, () => population),
  );
  const signals = readOut(qubit, readoutSettings(experiment), populations, noise);
  const variable = { dims: ['state', 'repetition'], unit: 'a.u.' };
  return {
    dims: { ...dataset.dims, state: 2, repetition: REPETITIONS },
    coordinates: {
      ...dataset.coordinates,
      state: {
        dims: ['state'],
        values: [0, 1],
        unit: '',
        long_name: 'Prepared state: 0 ground, 1 excited',
      },
      repetition: {
        dims: ['repetition'],
        values: Array.from({ length: REPETITIONS }, (_, index) => index),
        unit: '',
        long_name: 'Number of the repetition',
      },
    },
    variables: {
      ...dataset.variables,
      reference_re: {
        ...variable,
        values: shorten(signals.re),
        long_name: 'In-phase signal of the prepared states',
      },
      reference_im: {
        ...variable,
        values: shorten(signals.im),
        long_name: 'Quadrature signal of the prepared states',
      },
    },
  };
}
