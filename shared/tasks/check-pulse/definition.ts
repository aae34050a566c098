import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  qubitFrequency,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { plainPulseInputs } from '../common/definition/plain-pulse-inputs.ts';
import type { TaskDefinition } from '../model.ts';

function checkPulse(task: string, name: 'hpi' | 'pi', pattern: string): TaskDefinition {
  const { interval } = shotsAndInterval(1024);
  return {
    name: task,
    taskType: 'qubit',
    category: '1Q Coarse',
    description: `Repeats the ${name === 'hpi' ? 'pi/2' : 'pi'} pulse and compares the signal with the pattern ${pattern} of perfect pulses; small errors add up.`,
    backends: [SIMULATOR_BACKEND],
    inputs: { qubit_frequency: qubitFrequency, ...plainPulseInputs(name), ...readoutInputs },
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
    scope: 'target',
    kind: 'measured',
    timeout: DEFAULT_TIMEOUT,
    r2Threshold: DEFAULT_R2_THRESHOLD,
  };
}

export const checkHpiPulse = checkPulse('CheckHPIPulse', 'hpi', '1, 0, -1, 0');
export const checkPiPulse = checkPulse('CheckPIPulse', 'pi', '1, -1');
