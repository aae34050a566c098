import type { Dataset } from '../../../science/datasets/model.ts';
import { RESONATOR_FREQUENCIES } from '../../../science/device/device.ts';

/** Adds the design frequency of each place of a readout line, as the boxes' wiring file contains it. */
export function withLineDesign(dataset: Dataset): Dataset {
  const over = { dims: ['place'] };
  return {
    dims: { ...dataset.dims, place: RESONATOR_FREQUENCIES.length },
    coordinates: {
      ...dataset.coordinates,
      place: {
        ...over,
        values: RESONATOR_FREQUENCIES.map((_, place) => place),
        unit: '',
        long_name: 'Place on the multiplexer',
      },
    },
    variables: {
      ...dataset.variables,
      design_frequency: {
        ...over,
        values: [...RESONATOR_FREQUENCIES],
        unit: 'GHz',
        long_name: 'Frequency that the resonator of the place was designed for',
      },
    },
  };
}
