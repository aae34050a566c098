import { USUAL_KAPPA_GHZ } from '../../science/conventions/readout.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { bandSweeps, CW_CATEGORY, toneAmplitude } from '../common/definition/spectroscopy.ts';
import { defineTask } from '../model.ts';

export const checkElectricalDelay = defineTask({
  ...qubitTask,
  name: 'CheckElectricalDelay',
  category: CW_CATEGORY,
  description:
    'Sweeps a readout tone away from the resonators: the slope of its phase is the delay of the line.',
  inputs: {},
  runParameters: {
    ...bandSweeps('Readout frequencies far from resonators, whose tails add to the slope', {
      high: [9.3, 9.305, 0.0001],
      low: [5.3, 5.305, 0.0001],
    }),
    readout_amplitude: toneAmplitude(1),
    resonator_linewidth: {
      value: USUAL_KAPPA_GHZ,
      valueType: 'float',
      unit: 'GHz',
      description:
        'Line width of the readout resonators, which are assumed to be evenly distributed over their band: the contribution of their tails to the slope is subtracted, and half of it is included in the error',
      bounds: { minimum: 0, maximum: 1 },
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    electrical_delay: {
      unit: 'ns',
      valueType: 'float',
      description: 'Delay of the readout line',
      bounds: { minimum: -10_000, maximum: 10_000 },
    },
  },
  figures: [{ description: 'Phase against the frequency with its fit' }],
});
