import { DRAG_PULSES, type DragPulseName } from '../../science/conventions/drag.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { betaLimits, positiveLimits } from '../common/definition/limits.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import {
  centringControlAmplitude,
  qubitFrequency,
  readoutInputs,
} from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

function createDragPulse<const Name extends string>(
  name: Name,
  { pulse, angle }: { pulse: DragPulseName; angle: string },
) {
  return {
    ...qubitTask,
    name,
    category: '1Q Fine',
    description: `Calibrates the DRAG ${angle} pulse: sweeps its amplitude over four full turns and the weight of its derivative alternately, twice.`,
    inputs: {
      qubit_frequency: qubitFrequency,
      control_amplitude: centringControlAmplitude,
      anharmonicity: {
        unit: 'GHz',
        valueType: 'float',
        description:
          'Second transition frequency minus the first; determines the centre of the first sweep of beta',
        required: false,
        bounds: { minimum: -2, maximum: -0.02 },
      },
      ...readoutInputs,
    },
    runParameters: {
      [`${pulse}_duration`]: {
        value: DRAG_PULSES[pulse].lengthNs,
        valueType: 'float',
        unit: 'ns',
        description: `Length of the DRAG ${angle} pulse`,
        bounds: { minimum: 4, maximum: 1000 },
      },
      ...shotsAndInterval(2048),
    },
    outputs: {
      [`${pulse}_beta`]: {
        unit: 'ns',
        valueType: 'float',
        description: `Weight of the derivative in the DRAG ${angle} pulse`,
        bounds: betaLimits,
      },
      [`${pulse}_amplitude`]: amplitudeOutput(`Amplitude of the DRAG ${angle} pulse`),
      [`${pulse}_length`]: {
        unit: 'ns',
        valueType: 'float',
        description: `Length of the DRAG ${angle} pulse`,
        bounds: positiveLimits,
      },
    },
    figures: [
      { description: 'Signal against the amplitude with its fit' },
      { description: 'Signal against beta with its fit' },
    ],
  } as const;
}

export const createDragHpiPulse = defineTask(
  createDragPulse('CreateDRAGHPIPulse', { pulse: 'drag_hpi', angle: 'pi/2' }),
);
export const createDragPiPulse = defineTask(
  createDragPulse('CreateDRAGPIPulse', { pulse: 'drag_pi', angle: 'pi' }),
);
