import type { DragPulseName } from '../../science/conventions/drag.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { rotationErrorOutput } from '../common/definition/outputs.ts';
import { dragPulseInputs, qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { interval, repetitions } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

function checkDragPulse<const Name extends string>(
  name: Name,
  { pulse, angle, pattern }: { pulse: DragPulseName; angle: 'pi/2' | 'pi'; pattern: string },
) {
  return {
    ...qubitTask,
    name,
    category: '1Q Fine',
    description: `Repeats the DRAG ${angle} pulse and compares the signal with the pattern ${pattern} of perfect pulses; small errors add up.`,
    inputs: { qubit_frequency: qubitFrequency, ...dragPulseInputs(pulse), ...readoutInputs },
    runParameters: { repetitions: repetitions('Largest number of pulses'), interval },
    outputs: { [`${pulse}_rotation_error`]: rotationErrorOutput(angle) },
    figures: [{ description: 'Normalised signal against the number of pulses, with the fitted rotation' }],
  } as const;
}

export const checkDragHpiPulse = defineTask(
  checkDragPulse('CheckDRAGHPIPulse', { pulse: 'drag_hpi', angle: 'pi/2', pattern: '1, 0, -1, 0' }),
);
export const checkDragPiPulse = defineTask(
  checkDragPulse('CheckDRAGPIPulse', { pulse: 'drag_pi', angle: 'pi', pattern: '1, -1' }),
);
