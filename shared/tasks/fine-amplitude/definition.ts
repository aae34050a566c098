import { qubitTask } from '../common/definition/bases.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import { dragPulseInputs, qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { fineDriveWander } from '../common/definition/wander.ts';
import { defineTask, type TaskOutput, type TaskRunParameter } from '../model.ts';

/** Pulses with a larger relative rotation error must be created again. */
const MAX_CORRECTED = 0.1;

function pulseCounts(value: readonly [number, number, number], what: string): TaskRunParameter {
  return {
    value,
    valueType: 'np.arange',
    unit: '',
    description: `Numbers of ${what}`,
    bounds: { minimum: 0, maximum: 1000 },
  };
}

function amplitudeError(pulse: string): TaskOutput {
  return {
    unit: '',
    valueType: 'float',
    description: `Relative error of the DRAG ${pulse} pulse's angle before the correction; negative if it rotated too little`,
    bounds: { minimum: -MAX_CORRECTED, maximum: MAX_CORRECTED },
  };
}

/**
 * The task corrects pulses that are usable without it, so a qubit whose correction is refused continues with the
 * uncorrected pulses.
 */
export const checkFineAmplitude = defineTask({
  ...qubitTask,
  goesOnWhenRefused: true,
  name: 'CheckFineAmplitude',
  category: '1Q Fine',
  description:
    'Plays long trains of both DRAG pulses, in which an error of the amplitude adds up with its sign, and corrects the amplitudes.',
  inputs: {
    qubit_frequency: qubitFrequency,
    ...dragPulseInputs('drag_hpi'),
    ...dragPulseInputs('drag_pi'),
    ...readoutInputs,
  },
  runParameters: {
    hpi_pulses: pulseCounts([0, 61, 1], 'pi/2 pulses'),
    pi_pulses: pulseCounts([0, 31, 1], 'pi pulses after one pi/2 pulse'),
    ...shotsAndInterval(2048),
  },
  outputs: {
    drag_hpi_amplitude: { ...amplitudeOutput('Amplitude of the DRAG pi/2 pulse'), wander: fineDriveWander },
    drag_pi_amplitude: { ...amplitudeOutput('Amplitude of the DRAG pi pulse'), wander: fineDriveWander },
    drag_hpi_amplitude_error: amplitudeError('pi/2'),
    drag_pi_amplitude_error: amplitudeError('pi'),
  },
  figures: [
    { description: 'Polarisation after trains of pi/2 pulses with the fit' },
    { description: 'Polarisation after trains of pi pulses that follow one pi/2 pulse, with the fit' },
  ],
});
