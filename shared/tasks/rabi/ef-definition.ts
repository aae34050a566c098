import { TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { detuningLimits, positiveLimits } from '../common/definition/limits.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import { TARGET_RABI_FREQUENCY_TEXT } from '../common/definition/qubit-inputs.ts';
import { EF_CONTROL_AMPLITUDE, efFrequency, excitingInputs } from '../common/definition/second-transition.ts';
import { controlPulseLengths, fineTimes, shotsAndInterval } from '../common/definition/settings.ts';
import { driveWander } from '../common/definition/wander.ts';
import { defineTask } from '../model.ts';

export const checkEfRabi = defineTask({
  ...qubitTask,
  name: 'CheckEFRabi',
  category: '1Q Fine',
  description: `Excites the qubit, drives its second transition for increasing times and fits the Rabi oscillation; gives the amplitude for a Rabi frequency of ${TARGET_RABI_FREQUENCY_TEXT} there.`,
  inputs: { ...excitingInputs, ef_frequency: efFrequency },
  runParameters: {
    time_range: controlPulseLengths([0, 401, 8]),
    fine_time_range: fineTimes([2, 16, 4], 'lengths'),
    second_detuning: {
      value: TARGET_RABI_FREQUENCY_GHZ,
      valueType: 'float',
      unit: 'GHz',
      description:
        'Drive frequency above the stored frequency of the transition for a second oscillation, which shows the detuning of the drive; 0 measures none',
      bounds: detuningLimits,
    },
    ...shotsAndInterval(2048),
  },
  outputs: {
    ef_rabi_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Amplitude of the oscillation in the IQ plane',
      bounds: positiveLimits,
    },
    ef_rabi_frequency: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Frequency of the oscillation',
      bounds: positiveLimits,
    },
    ef_control_amplitude: amplitudeOutput(EF_CONTROL_AMPLITUDE),
    ef_maximum_rabi_frequency: {
      unit: 'MHz/a.u.',
      valueType: 'float',
      description: 'Rabi frequency of the second transition per amplitude',
      bounds: positiveLimits,
      wander: driveWander,
    },
  },
  figures: [
    { description: 'Oscillation against the pulse length with its fit' },
    { description: 'The same points in the IQ plane' },
  ],
  r2Threshold: 0.6,
});
