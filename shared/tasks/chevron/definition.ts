import {
  DEFAULT_CONTROL_AMPLITUDE,
  SEARCHING_CONTROL_AMPLITUDE,
  USABLE_CONTROL_AMPLITUDE,
} from '../../science/conventions/pulse.ts';
import { DEFAULT_READOUT } from '../../science/conventions/readout.ts';
import { DEFAULT_TIMEOUT, qubitTask } from '../common/definition/bases.ts';
import { pulseAmplitudeLimits } from '../common/definition/limits.ts';
import { amplitudeOutput, qubitFrequencyOutput } from '../common/definition/outputs.ts';
import {
  CALIBRATED_CONTROL,
  controlAmplitude,
  qubitFrequency,
  readoutInputs,
} from '../common/definition/qubit-inputs.ts';
import { controlPulseLengths, detunings, shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask, type TaskInput, type TaskRunParameter } from '../model.ts';

/** Time limit of a chevron with its search, seconds. */
const CHEVRON_TIMEOUT = 14_400;

const coarseQubitFrequency: TaskInput = {
  ...qubitFrequency,
  description: 'Qubit frequency from spectroscopy',
};

const driveAmplitude = controlAmplitude('Amplitude of the control pulse', SEARCHING_CONTROL_AMPLITUDE);

const readoutAmplitude: TaskRunParameter = {
  value: DEFAULT_READOUT.amplitude,
  valueType: 'float',
  unit: 'a.u.',
  description: 'Amplitude of the readout pulse for this measurement; null uses the stored one',
  bounds: pulseAmplitudeLimits,
};

/** Pulse lengths, ns. The analysis may request longer pulses if another line may be hidden beside that of the qubit. */
const COARSE_CHEVRON_LENGTHS = [0, 97, 8] as const;

const drive = amplitudeOutput(CALIBRATED_CONTROL);
const readout = amplitudeOutput('Amplitude of the readout pulse with which the chevron was measured');

const figures = [
  { description: 'Signal against drive frequency and pulse length', role: 'raw' },
  { description: 'The same with the fitted resonance', role: 'marked' },
] as const;

const chevronTask = { ...qubitTask, category: '1Q Coarse', timeout: CHEVRON_TIMEOUT } as const;

export const checkChevron = defineTask({
  ...chevronTask,
  name: 'CheckChevron',
  description:
    'Searches the chevron around the coarse qubit frequency, measures it finely around its vertex and fits frequency and control amplitude.',
  inputs: {
    coarse_qubit_frequency: coarseQubitFrequency,
    coarse_control_amplitude: {
      unit: 'a.u.',
      valueType: 'float',
      description: `Control amplitude from spectroscopy; replaced by ${SEARCHING_CONTROL_AMPLITUDE} outside of ${USABLE_CONTROL_AMPLITUDE.above} to ${USABLE_CONTROL_AMPLITUDE.below}`,
      required: true,
      fallback: SEARCHING_CONTROL_AMPLITUDE,
    },
    ...readoutInputs,
  },
  runParameters: {},
  outputs: { qubit_frequency: qubitFrequencyOutput, control_amplitude: drive },
  figures: [...figures, { description: 'The rough chevron of the search' }],
});

export const checkCoarseChevron = defineTask({
  ...chevronTask,
  name: 'CheckCoarseChevron',
  description: 'Measures the chevron within 75 MHz of the coarse qubit frequency and fits its vertex.',
  inputs: {
    coarse_qubit_frequency: coarseQubitFrequency,
    control_amplitude: driveAmplitude,
    ...readoutInputs,
  },
  runParameters: {
    time_range: controlPulseLengths(COARSE_CHEVRON_LENGTHS),
    readout_amplitude: readoutAmplitude,
  },
  outputs: { qubit_frequency: qubitFrequencyOutput, control_amplitude: drive, readout_amplitude: readout },
  figures,
});

export const checkFineChevron = defineTask({
  ...chevronTask,
  name: 'CheckFineChevron',
  description: 'Measures the chevron within 10 MHz of the qubit frequency and fits its vertex.',
  inputs: { qubit_frequency: qubitFrequency, control_amplitude: driveAmplitude, ...readoutInputs },
  runParameters: { readout_amplitude: readoutAmplitude },
  outputs: { qubit_frequency: qubitFrequencyOutput, control_amplitude: drive, readout_amplitude: readout },
  figures,
});

export const checkQubitFrequency = defineTask({
  ...chevronTask,
  name: 'CheckQubitFrequency',
  description:
    'Measures Rabi oscillations around the stored qubit frequency and fits the vertex of their chevron.',
  inputs: {
    qubit_frequency: qubitFrequency,
    control_amplitude: controlAmplitude('Amplitude of the control pulse', DEFAULT_CONTROL_AMPLITUDE),
    ...readoutInputs,
  },
  runParameters: {
    detuning_range: detunings('Drive frequencies around the stored one'),
    time_range: controlPulseLengths([0, 101, 4]),
    ...shotsAndInterval(1024),
  },
  outputs: { qubit_frequency: qubitFrequencyOutput },
  figures: [
    { description: 'Signal against drive frequency and pulse length, with the resonance', role: 'marked' },
  ],
  timeout: DEFAULT_TIMEOUT,
});
