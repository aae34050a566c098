import { PLAIN_PULSE_LENGTH_NS, type PlainPulse, PULSE_RAMP_NS } from '../../science/conventions/pulse.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { positiveLimits } from '../common/definition/limits.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import {
  centringControlAmplitude,
  qubitFrequency,
  readoutInputs,
} from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

function createPulse<const Name extends string>(
  name: Name,
  { pulse, angle, perTurn }: { pulse: PlainPulse; angle: string; perTurn: string },
) {
  return {
    ...qubitTask,
    name,
    category: '1Q Coarse',
    description: `Drives ${perTurn} ${angle} pulses, a full turn, with varied amplitude and determines the amplitude at which the qubit returns best.`,
    inputs: {
      qubit_frequency: qubitFrequency,
      control_amplitude: centringControlAmplitude,
      ...readoutInputs,
    },
    runParameters: {
      [`${pulse}_duration`]: {
        value: PLAIN_PULSE_LENGTH_NS,
        valueType: 'float',
        unit: 'ns',
        description: `Length of the ${angle} pulse, with ramps of ${PULSE_RAMP_NS} ns`,
        bounds: { minimum: PULSE_RAMP_NS, exclusiveMinimum: true, maximum: 10_000 },
      },
      ...shotsAndInterval(2048),
    },
    outputs: {
      [`${pulse}_amplitude`]: amplitudeOutput(`Amplitude of the ${angle} pulse`),
      [`${pulse}_length`]: {
        unit: 'ns',
        valueType: 'float',
        description: `Length of the ${angle} pulse`,
        bounds: positiveLimits,
      },
    },
    figures: [{ description: 'Signal against the amplitude with its fit' }],
  } as const;
}

export const createHpiPulse = defineTask(
  createPulse('CreateHPIPulse', { pulse: 'hpi', angle: 'pi/2', perTurn: 'four' }),
);
export const createPiPulse = defineTask(
  createPulse('CreatePIPulse', { pulse: 'pi', angle: 'pi', perTurn: 'two' }),
);
