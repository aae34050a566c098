import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import {
  DEFAULT_R2_THRESHOLD,
  DEFAULT_TIMEOUT,
  readoutInputs,
  shotsAndInterval,
} from '../common/definition/common.ts';
import { amplitudeLimits, frequencyLimits, timeLimits } from '../common/definition/limits.ts';
import {
  amplitudeOutput,
  band,
  CW_CATEGORY,
  frequencyOutput,
  resonatorRanges,
} from '../common/definition/spectroscopy.ts';
import type { Bounds, TaskDefinition, TaskInput, TaskRunParameter } from '../model.ts';
import { coarseQubitFrequency, spectroscopyReadoutAmplitude } from '../qubit-spectroscopy/definition.ts';

const readoutFrequency: Readonly<Record<string, TaskInput>> =
  readoutInputs.readout_frequency === undefined ? {} : { readout_frequency: readoutInputs.readout_frequency };

function readoutAmplitude(value: number): TaskRunParameter {
  return { ...spectroscopyReadoutAmplitude, value };
}

function sweep(value: [number, number, number], description: string): TaskRunParameter {
  return { value, valueType: 'np.arange', unit: 'GHz', description, bounds: frequencyLimits };
}

function cwTask(
  task: Pick<TaskDefinition, 'name' | 'description' | 'runParameters' | 'outputs' | 'figures'> &
    Partial<TaskDefinition>,
): TaskDefinition {
  return {
    taskType: 'qubit',
    category: CW_CATEGORY,
    backends: [SIMULATOR_BACKEND],
    inputs: {},
    scope: 'target',
    kind: 'measured',
    timeout: DEFAULT_TIMEOUT,
    r2Threshold: DEFAULT_R2_THRESHOLD,
    ...task,
  };
}

export const checkElectricalDelay = cwTask({
  name: 'CheckElectricalDelay',
  description:
    'Sweeps a readout tone beside the resonators: the slope of its phase is the delay of the line.',
  runParameters: {
    band,
    frequency_range: sweep([9.8, 9.805, 0.0001], 'Readout frequencies without resonators, high band'),
    frequency_range_low_band: sweep([5.8, 5.805, 0.0001], 'Readout frequencies without resonators, low band'),
    readout_amplitude: readoutAmplitude(1),
    ...shotsAndInterval(1024),
  },
  outputs: {
    electrical_delay: {
      unit: 'ns',
      valueType: 'float',
      description: 'Delay of the readout line',
      bounds: { minimum: -10_000, maximum: 10_000 },
    },
  },
  figures: [{ description: 'Phase against the frequency with its fit' }],
});

export const checkResonatorFrequencies = cwTask({
  name: 'CheckResonatorFrequencies',
  description: 'Sweeps a weak readout tone over the four resonators of a MUX and picks the one of the qubit.',
  runParameters: {
    ...resonatorRanges,
    readout_amplitude: readoutAmplitude(0.005),
    ...shotsAndInterval(4096),
  },
  outputs: {
    coarse_resonator_frequency: frequencyOutput('Frequency of the resonator, from one sweep'),
  },
  figures: [
    { description: 'Phase against the frequency' },
    { description: 'Size of the phase step from point to point, with the resonators found' },
  ],
});

export const checkReflectionCoefficient = cwTask({
  name: 'CheckReflectionCoefficient',
  description: 'Sweeps a weak readout tone finely over the resonator and fits its complex reflection.',
  inputs: readoutFrequency,
  runParameters: {
    frequency_width: {
      value: 0.05,
      valueType: 'float',
      unit: 'GHz',
      description: 'Width of the sweep',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    frequency_step: {
      value: 0.0005,
      valueType: 'float',
      unit: 'GHz',
      description: 'Distance of the points',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    readout_amplitude: readoutAmplitude(0.005),
    ...shotsAndInterval(2048),
  },
  outputs: {
    resonator_frequency: frequencyOutput('Frequency of the resonator'),
    kappa_external: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Rate at which the resonator leaks into the line',
      bounds: { minimum: 0, exclusiveMinimum: true },
    },
    kappa_internal: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Rate at which the resonator loses photons; within its error it may come out below 0',
    },
  },
  figures: [{ description: 'Reflection in the complex plane with its fit' }],
});

export const checkReadoutAmplitude = cwTask({
  name: 'CheckReadoutAmplitude',
  description: 'Raises the readout amplitude until the signal stands out of the noise of a single shot.',
  inputs: readoutFrequency,
  runParameters: {
    amplitude_range: {
      value: [0, 0.2, 51],
      valueType: 'np.linspace',
      unit: 'a.u.',
      description: 'Readout amplitudes',
      bounds: amplitudeLimits,
    },
    snr_threshold: {
      value: 1,
      valueType: 'float',
      unit: '',
      description: 'Signal over noise that is asked for',
      bounds: { minimum: 0, exclusiveMinimum: true },
    },
    ...shotsAndInterval(2048),
  },
  outputs: { readout_amplitude: amplitudeOutput('Smallest readout amplitude with enough signal') },
  figures: [{ description: 'Signal, noise and their ratio against the amplitude' }],
  r2Threshold: null,
});

export const checkQubitFrequencies = cwTask({
  name: 'CheckQubitFrequencies',
  description: 'Sweeps a drive of one power over the band and finds the line of the qubit.',
  inputs: readoutFrequency,
  runParameters: {
    band,
    frequency_range: sweep([6.5, 9.5, 0.005], 'Drive frequencies, high band'),
    frequency_range_low_band: sweep([3, 5, 0.005], 'Drive frequencies, low band'),
    control_amplitude: {
      value: 0.03,
      valueType: 'float',
      unit: 'a.u.',
      description: 'Amplitude of the drive',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
    readout_amplitude: spectroscopyReadoutAmplitude,
    ...shotsAndInterval(4096),
  },
  outputs: { coarse_qubit_frequency: coarseQubitFrequency },
  figures: [{ description: 'Amplitude and phase of the readout tone against the drive frequency' }],
  r2Threshold: null,
});

function deviceDefault(unit: string, bounds: Bounds, description: string): TaskRunParameter {
  return {
    value: null,
    valueType: 'float',
    unit,
    description: `${description}; empty takes the device's`,
    bounds,
  };
}

export const checkWaveform = cwTask({
  name: 'CheckWaveform',
  description: 'Captures the readout pulse as it comes back.',
  runParameters: {
    ...shotsAndInterval(2048),
    readout_amplitude: deviceDefault('a.u.', amplitudeLimits, 'Amplitude of the pulse'),
    readout_duration: deviceDefault('ns', timeLimits, 'Length of the pulse'),
    readout_pre_margin: deviceDefault('ns', timeLimits, 'Capture before the pulse'),
    readout_post_margin: deviceDefault('ns', timeLimits, 'Capture after the pulse'),
  },
  outputs: {},
  figures: [{ description: 'Captured waveform against time' }],
  r2Threshold: null,
});
