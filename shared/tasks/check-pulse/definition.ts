import type { PlainPulse } from '../../science/conventions/pulse.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { rotationErrorOutput } from '../common/definition/outputs.ts';
import { plainPulseInputs, qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { interval, repetitions } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

function checkPulse<const Name extends string>(
  name: Name,
  { pulse, angle, pattern }: { pulse: PlainPulse; angle: 'pi/2' | 'pi'; pattern: string },
) {
  return {
    ...qubitTask,
    name,
    category: '1Q Coarse',
    description: `Repeats the ${angle} pulse and compares the signal with the pattern ${pattern} of perfect pulses; small errors add up.`,
    inputs: { qubit_frequency: qubitFrequency, ...plainPulseInputs(pulse), ...readoutInputs },
    runParameters: { repetitions: repetitions('Largest number of pulses'), interval },
    outputs: { [`${pulse}_rotation_error`]: rotationErrorOutput(angle) },
    figures: [{ description: 'Normalised signal against the number of pulses, with the fitted rotation' }],
  } as const;
}

export const checkHpiPulse = defineTask(
  checkPulse('CheckHPIPulse', { pulse: 'hpi', angle: 'pi/2', pattern: '1, 0, -1, 0' }),
);
export const checkPiPulse = defineTask(
  checkPulse('CheckPIPulse', { pulse: 'pi', angle: 'pi', pattern: '1, -1' }),
);
