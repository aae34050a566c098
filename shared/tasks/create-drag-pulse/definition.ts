import type { DragPulseName } from '../../science/conventions/drag.ts';
import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { dragPulseInputs } from '../common/definition/drag-pulse-inputs.ts';
import type { TaskDefinition } from '../model.ts';

const common = {
  taskType: 'qubit',
  category: '1Q Fine',
  backends: [SIMULATOR_BACKEND],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
} as const;

function createDragPulse(task: string, name: DragPulseName, durationNs: number): TaskDefinition {
  const angle = name === 'drag_hpi' ? 'pi/2' : 'pi';
  return {
    ...common,
    name: task,
    description: `Calibrates the DRAG ${angle} pulse: sweeps its amplitude over four full turns and the weight of its derivative in turn, twice.`,
    inputs: {
      qubit_frequency: qubitFrequency,
      control_amplitude: {
        unit: 'a.u.',
        valueType: 'float',
        description: 'Control amplitude that gives a Rabi frequency of 12.5 MHz; the sweep is centred by it',
        required: true,
        bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
      },
      anharmonicity: {
        unit: 'GHz',
        valueType: 'float',
        description:
          'Difference of the second and the first transition; the first sweep of beta is centred by it',
        required: false,
        bounds: { minimum: -2, maximum: -0.02 },
      },
      ...readoutInputs,
    },
    runParameters: {
      [`${name}_duration`]: {
        value: durationNs,
        valueType: 'float',
        unit: 'ns',
        description: `Length of the DRAG ${angle} pulse`,
        bounds: { minimum: 4, maximum: 1000 },
      },
      ...shotsAndInterval(2048),
    },
    outputs: {
      [`${name}_beta`]: {
        unit: 'ns',
        valueType: 'float',
        description: `Weight of the derivative in the DRAG ${angle} pulse`,
        bounds: { minimum: -10, maximum: 10 },
      },
      [`${name}_amplitude`]: {
        unit: 'a.u.',
        valueType: 'float',
        description: `Amplitude of the DRAG ${angle} pulse`,
        bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
      },
      [`${name}_length`]: {
        unit: 'ns',
        valueType: 'float',
        description: `Length of the DRAG ${angle} pulse`,
        bounds: { minimum: 0, exclusiveMinimum: true },
      },
    },
    figures: [
      { description: 'Signal against the amplitude with its fit' },
      { description: 'Signal against beta with its fit' },
    ],
  };
}

function checkDragPulse(task: string, name: DragPulseName, pattern: string): TaskDefinition {
  const { interval } = shotsAndInterval(1024);
  const angle = name === 'drag_hpi' ? 'pi/2' : 'pi';
  return {
    ...common,
    name: task,
    description: `Repeats the DRAG ${angle} pulse and compares the signal with the pattern ${pattern} of perfect pulses; small errors add up.`,
    inputs: { qubit_frequency: qubitFrequency, ...dragPulseInputs(name), ...readoutInputs },
    runParameters: {
      repetitions: {
        value: 20,
        valueType: 'int',
        unit: '',
        description: 'Largest number of pulses',
        bounds: { minimum: 8, maximum: 1000 },
      },
      ...(interval === undefined ? {} : { interval }),
    },
    outputs: {},
    figures: [{ description: 'Normalised signal against the number of pulses, with the fitted rotation' }],
  };
}

export const createDragHpiPulse = createDragPulse('CreateDRAGHPIPulse', 'drag_hpi', 16);
export const checkDragHpiPulse = checkDragPulse('CheckDRAGHPIPulse', 'drag_hpi', '1, 0, -1, 0');
export const createDragPiPulse = createDragPulse('CreateDRAGPIPulse', 'drag_pi', 24);
export const checkDragPiPulse = checkDragPulse('CheckDRAGPIPulse', 'drag_pi', '1, -1');
