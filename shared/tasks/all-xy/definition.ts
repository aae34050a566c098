import { qubitTask } from '../common/definition/bases.ts';
import { dragPulseInputs, qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

/** Part of their angles by which pulses may be wrong, as those that are checked alone. */
const MAX_AMPLITUDE_ERROR = 0.02;
/** At this distance from the qubit, in MHz, its frequency must be measured again. */
const MAX_DETUNING = 2;

export const checkAllXy = defineTask({
  ...qubitTask,
  name: 'CheckAllXY',
  category: '1Q Fine',
  description:
    'Plays the 21 pairs of pulses about x and y whose signals climb a staircase, and finds from their deviations what is wrong with the pulses.',
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
      description: 'Part of their angles by which all pulses turn too far, below 0 too little',
      bounds: { minimum: -MAX_AMPLITUDE_ERROR, maximum: MAX_AMPLITUDE_ERROR },
    },
    allxy_detuning: {
      unit: 'MHz',
      valueType: 'float',
      description: 'How far the qubit seems to lie above its drive, by pulses that follow each other',
      bounds: { minimum: -MAX_DETUNING, maximum: MAX_DETUNING },
    },
  },
  figures: [
    {
      description: 'Polarisation after each pair with the staircase of perfect pulses and the fitted errors',
    },
  ],
});
