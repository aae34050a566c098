import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import type { TaskDefinition, TaskInput } from '../model.ts';

const controlAmplitude: TaskInput = {
  unit: 'a.u.',
  valueType: 'float',
  description: 'Control amplitude that gives a Rabi frequency of 12.5 MHz; the sweep is centred by it',
  required: true,
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
};

interface PlainPulseText {
  task: string;
  name: 'hpi' | 'pi';
  angle: string;
  perTurn: string;
}

function createPulse({ task, name, angle, perTurn }: PlainPulseText): TaskDefinition {
  return {
    name: task,
    taskType: 'qubit',
    category: '1Q Coarse',
    description: `Drives ${perTurn} ${angle} pulses, a full turn, with varied amplitude and takes the amplitude at which the qubit comes back best.`,
    backends: [SIMULATOR_BACKEND],
    inputs: { qubit_frequency: qubitFrequency, control_amplitude: controlAmplitude, ...readoutInputs },
    runParameters: {
      [`${name}_duration`]: {
        value: 32,
        valueType: 'float',
        unit: 'ns',
        description: `Length of the ${angle} pulse, with ramps of 12 ns`,
        bounds: { minimum: 12, exclusiveMinimum: true, maximum: 10_000 },
      },
      ...shotsAndInterval(2048),
    },
    outputs: {
      [`${name}_amplitude`]: {
        unit: 'a.u.',
        valueType: 'float',
        description: `Amplitude of the ${angle} pulse`,
        bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
      },
      [`${name}_length`]: {
        unit: 'ns',
        valueType: 'float',
        description: `Length of the ${angle} pulse`,
        bounds: { minimum: 0, exclusiveMinimum: true },
      },
    },
    figures: [{ description: 'Signal against the amplitude with its fit' }],
    scope: 'target',
    kind: 'measured',
    timeout: DEFAULT_TIMEOUT,
    r2Threshold: DEFAULT_R2_THRESHOLD,
  };
}

export const createHpiPulse = createPulse({
  task: 'CreateHPIPulse',
  name: 'hpi',
  angle: 'pi/2',
  perTurn: 'four',
});
export const createPiPulse = createPulse({ task: 'CreatePIPulse', name: 'pi', angle: 'pi', perTurn: 'two' });
