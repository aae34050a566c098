import type { Dataset } from '../../../science/datasets/model.ts';
import { RESONATOR_FREQUENCIES } from '../../../science/device/device.ts';

/** Adds what the wiring file of the boxes says of a readout line: the frequency that each place was designed for. */
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
