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
    'Sweeps a readout tone beside the resonators: the slope of its phase is the delay of the line.',
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
        'Line width of the readout resonators, which are taken to lie evenly over their band: what their tails add to the slope is taken off, and half of it is in the error',
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
