import { qubitTask } from '../common/definition/bases.ts';
import { dragPulseInputs, qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

/** Maximum relative rotation error of the pulses, as in checks of single pulses. */
const MAX_AMPLITUDE_ERROR = 0.02;
/** Detuning from the qubit, in MHz, at which its frequency must be measured again. */
const MAX_DETUNING = 2;

export const checkAllXy = defineTask({
  ...qubitTask,
  name: 'CheckAllXY',
  category: '1Q Fine',
  description:
    'Plays the 21 pairs of pulses about x and y whose signals form a staircase, and determines the errors of the pulses from the deviations.',
  inputs: {
    qubit_frequency: qubitFrequency,
    ...dragPulseInputs('drag_hpi'),
    ...dragPulseInputs('drag_pi'),
    ...readoutInputs,
  },
  runParameters: shotsAndInterval(2048),
  outputs: {
    allxy_amplitude_error: {
      unit: '',
      valueType: 'float',
      description: 'Relative error of the rotation angle of all pulses; negative if they rotate too little',
      bounds: { minimum: -MAX_AMPLITUDE_ERROR, maximum: MAX_AMPLITUDE_ERROR },
    },
    allxy_detuning: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Detuning of the qubit above its drive, from consecutive pulses',
      bounds: { minimum: -MAX_DETUNING, maximum: MAX_DETUNING },
    },
  },
  figures: [
    {
      description: 'Polarisation after each pair with the staircase of perfect pulses and the fitted errors',
    },
  ],
});
