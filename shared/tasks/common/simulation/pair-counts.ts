import type { Dataset, DatasetVariable } from '../../../science/datasets/model.ts';
import { loadedPulse, played, populationAfterPulses } from './drag-experiment.ts';
import { type JointReadout, PAIR_STATES } from './joint-readout.ts';
import type { PairExperiment } from './model.ts';

/** Counts of the four outcomes over the given axes; the axis of the outcomes is last. */
export function countsVariable(dims: readonly string[], counts: readonly (number | null)[], of: string) {
  return {
    dims: [...dims, 'outcome'],
    values: [...counts],
    unit: '',
    long_name: `Shots with each outcome of ${of}`,
  } satisfies DatasetVariable;
}

/**
 * Adds the readout of the four prepared states of the pair: `reference_counts` over `prepared` and `outcome`, from which
 * an analysis determines the readout errors.
 */
export function addReadoutReferences(
  dataset: Dataset,
  { control, target, noise }: PairExperiment,
  readout: JointReadout,
): Dataset {
  const [first, second] = [control, target].map((experiment) => {
    const pulse = played(experiment.qubit, loadedPulse(experiment, 'drag_hpi'));
    const excited = populationAfterPulses(experiment.qubit, [pulse, pulse]);
    return [
      [1, 0],
      [1 - excited, excited],
    ];
  });
  const counts = PAIR_STATES.flatMap((prepared) => {
    const [one, other] = [first?.[prepared >> 1] ?? [1, 0], second?.[prepared & 1] ?? [1, 0]];
    const probabilities = PAIR_STATES.map((state) => (one[state >> 1] ?? 0) * (other[state & 1] ?? 0));
    return readout.count(probabilities, noise);
  });
  const states = (name: string, long_name: string) => ({
    [name]: { dims: [name], values: [...PAIR_STATES], unit: '', long_name },
  });
  return {
    dims: { ...dataset.dims, prepared: PAIR_STATES.length, outcome: PAIR_STATES.length },
    coordinates: {
      ...dataset.coordinates,
      ...states('prepared', 'Prepared state of control and target: 0 is 00, 1 is 01, 2 is 10, 3 is 11'),
      ...states('outcome', 'Outcome of control and target: 0 is 00, 1 is 01, 2 is 10, 3 is 11'),
    },
    variables: {
      ...dataset.variables,
      reference_counts: countsVariable(['prepared'], counts, 'each prepared state'),
    },
  };
}
