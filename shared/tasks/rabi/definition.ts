import { DEFAULT_CONTROL_AMPLITUDE, TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import { qubitTask } from '../common/definition/bases.ts';
import { detuningLimits, positiveLimits, pulseAmplitudeLimits } from '../common/definition/limits.ts';
import {
  CALIBRATED_CONTROL,
  controlAmplitude,
  driveInputs,
  qubitFrequency,
  readoutInputs,
  TARGET_RABI_FREQUENCY_TEXT,
} from '../common/definition/qubit-inputs.ts';
import { controlPulseLengths, fineTimes, shotsAndInterval } from '../common/definition/settings.ts';
import { driveWander } from '../common/definition/wander.ts';
import { defineTask, type TaskOutput } from '../model.ts';

const rabiAmplitude: TaskOutput = {
  unit: 'a.u.',
  valueType: 'float',
  description: 'Amplitude of the oscillation in the IQ plane',
  bounds: positiveLimits,
};

const rabiFrequency: TaskOutput = {
  unit: 'MHz',
  valueType: 'float',
  description: 'Frequency of the oscillation',
  bounds: positiveLimits,
};

export const checkRabi = defineTask({
  ...qubitTask,
  name: 'CheckRabi',
  category: '1Q Coarse',
  description: `Drives the qubit for increasing times and fits the Rabi oscillation; rescales the control amplitude to a Rabi frequency of ${TARGET_RABI_FREQUENCY_TEXT}.`,
  inputs: {
    qubit_frequency: qubitFrequency,
    control_amplitude: controlAmplitude('Amplitude of the control pulse', DEFAULT_CONTROL_AMPLITUDE),
    ...readoutInputs,
  },
  runParameters: {
    time_range: controlPulseLengths([0, 401, 8]),
    fine_time_range: fineTimes([2, 16, 4], 'lengths'),
    second_detuning: {
      value: TARGET_RABI_FREQUENCY_GHZ,
      valueType: 'float',
      unit: 'GHz',
      description:
        'Drive frequency above the stored qubit frequency for a second oscillation, which shows the detuning of the drive; 0 measures none',
      bounds: detuningLimits,
    },
    ...shotsAndInterval(2048),
  },
  outputs: {
    rabi_amplitude: rabiAmplitude,
    rabi_frequency: rabiFrequency,
    rabi_phase: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Phase of the oscillation at zero pulse length, in radians',
    },
    rabi_offset: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Centre of the oscillation on its axis in the IQ plane',
    },
    rabi_angle: {
      unit: 'degree',
      valueType: 'float',
      description: 'Direction of the oscillation in the IQ plane, towards its initial state',
    },
    rabi_noise: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Standard deviation across the axis of the oscillation',
      bounds: { minimum: 0 },
    },
    rabi_distance: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Signed distance of the axis of the oscillation from the origin of the IQ plane',
    },
    rabi_reference_phase: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Phase in the IQ plane of the point where the oscillation starts, in radians',
    },
    control_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: CALIBRATED_CONTROL,
      bounds: pulseAmplitudeLimits,
    },
    maximum_rabi_frequency: {
      unit: 'MHz/a.u.',
      valueType: 'float',
      description: 'Rabi frequency per control amplitude',
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

export const checkQubit = defineTask({
  ...qubitTask,
  name: 'CheckQubit',
  category: '1Q Coarse',
  description:
    'Drives the qubit for increasing times and fits the Rabi oscillation: checks whether the qubit responds at all.',
  inputs: driveInputs,
  runParameters: { time_range: controlPulseLengths([0, 201, 4]), ...shotsAndInterval(1024) },
  outputs: { rabi_amplitude: rabiAmplitude, rabi_frequency: rabiFrequency },
  figures: [{ description: 'Oscillation against the pulse length with its fit' }],
});
