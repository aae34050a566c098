import type { Dataset } from '../../../science/datasets/model.ts';
import type { AveragedSignals } from '../../../science/device/readout.ts';
import { shorten } from './sweeps.ts';

/** Adds the signals of prepared states (0 ground, 1 excited) to a dataset; an analysis scales the other signals with them. */
export function withReferenceStates(
  dataset: Dataset,
  states: readonly number[],
  signals: AveragedSignals,
): Dataset {
  const state = { dims: ['state'], unit: 'a.u.' };
  return {
    dims: { ...dataset.dims, state: states.length },
    coordinates: {
      ...dataset.coordinates,
      state: {
        dims: ['state'],
        values: [...states],
        unit: '',
        long_name: 'Prepared state: 0 ground, 1 excited',
      },
    },
    variables: {
      ...dataset.variables,
      reference_re: {
        ...state,
        values: shorten(signals.re),
        long_name: 'In-phase signal of the prepared states',
      },
      reference_im: {
        ...state,
        values: shorten(signals.im),
        long_name: 'Quadrature signal of the prepared states',
      },
    },
  };
}
