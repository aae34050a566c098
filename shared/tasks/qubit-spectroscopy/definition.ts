import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import { DEFAULT_R2_THRESHOLD, readoutInputs, shotsAndInterval } from '../common/definition/common.ts';
import { frequencyLimits, powerLimits, ratioLimits } from '../common/definition/limits.ts';
import {
  amplitudeOutput,
  band,
  CW_CATEGORY,
  frequencyOutput,
  markedAndRaw,
} from '../common/definition/spectroscopy.ts';
import type { TaskDefinition, TaskInput, TaskRunParameter } from '../model.ts';

/** A map of two axes takes its time. */
const TIMEOUT = 7200;

const { readout_frequency: readoutFrequency, readout_amplitude: readoutAmplitude } = readoutInputs;

/** Spectroscopy reads out with its own weak tone; the calibrated amplitude is kept beside it for provenance. */
export const spectroscopyInputs: Readonly<Record<string, TaskInput>> = {
  ...(readoutFrequency === undefined ? {} : { readout_frequency: readoutFrequency }),
  ...(readoutAmplitude === undefined
    ? {}
    : {
        readout_amplitude: {
          ...readoutAmplitude,
          description: 'Calibrated readout amplitude, for comparison with that of the run parameters',
          required: false,
          fallback: undefined,
        },
      }),
};

export const spectroscopyReadoutAmplitude: TaskRunParameter = {
  value: 0.04,
  valueType: 'float',
  unit: 'a.u.',
  description: 'Amplitude of the readout tone',
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
};

function settings(lowestPower: number): Readonly<Record<string, TaskRunParameter>> {
  return {
    band,
    frequency_range: {
      value: [6.5, 9.75, 0.005],
      valueType: 'np.arange',
      unit: 'GHz',
      description: 'Drive frequencies, high band',
      bounds: frequencyLimits,
    },
    frequency_range_low_band: {
      value: [3, 5.75, 0.005],
      valueType: 'np.arange',
      unit: 'GHz',
      description: 'Drive frequencies, low band',
      bounds: frequencyLimits,
    },
    power_range: {
      value: [lowestPower, 0, 5],
      valueType: 'np.arange',
      unit: 'dB',
      description: 'Drive powers',
      bounds: powerLimits,
    },
    readout_amplitude: spectroscopyReadoutAmplitude,
    ...shotsAndInterval(1024),
    binarize_threshold_sigma_plus: {
      value: 3,
      valueType: 'float',
      unit: '',
      description: 'Phases above so many standard deviations of the map belong to a line',
      bounds: { minimum: 0, maximum: 100 },
    },
    binarize_threshold_sigma_minus: {
      value: -2,
      valueType: 'float',
      unit: '',
      description: 'Phases below so many standard deviations of the map belong to a line',
      bounds: { minimum: -100, maximum: 0 },
    },
    top_power: {
      value: 0,
      valueType: 'float',
      unit: 'dB',
      description: 'Power from which heights are counted, above the highest of the sweep',
      bounds: ratioLimits,
    },
    f01_height_min: {
      value: 14.9,
      valueType: 'float',
      unit: 'dB',
      description: 'Height that the line of the qubit has at least',
      bounds: ratioLimits,
    },
    f12_distance_min: {
      value: 0.125,
      valueType: 'float',
      unit: 'GHz',
      description: 'The second line lies at least so far below the first',
      bounds: frequencyLimits,
    },
    f12_distance_max: {
      value: 0.5,
      valueType: 'float',
      unit: 'GHz',
      description: 'The second line lies at most so far below the first',
      bounds: frequencyLimits,
    },
    f12_height_min: {
      value: 14.9,
      valueType: 'float',
      unit: 'dB',
      description: 'Height that the second line has at least',
      bounds: ratioLimits,
    },
    retry_with_trim: {
      value: 'false',
      valueType: 'str',
      unit: '',
      description: 'Whether to try again without the highest power where no line is found: true or false',
      choices: ['true', 'false'],
    },
    seed_amplitude_headroom_db: {
      value: 10,
      valueType: 'float',
      unit: 'dB',
      description: 'By how much the control amplitude is above the power at which the line becomes visible',
      bounds: ratioLimits,
    },
    max_coarse_control_amplitude: {
      value: 1,
      valueType: 'float',
      unit: 'a.u.',
      description: 'Largest control amplitude that is proposed',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
    },
  };
}

/** As in other tasks, but a frequency below this is no transmon's. */
export const coarseQubitFrequency = {
  ...frequencyOutput('Frequency of the qubit as its line shows it'),
  bounds: { minimum: 2.5, maximum: 20 },
};

export const checkQubitSpectroscopy: TaskDefinition = {
  name: 'CheckQubitSpectroscopy',
  taskType: 'qubit',
  category: CW_CATEGORY,
  description:
    'Sweeps a drive over the band at rising power, finds the line of the qubit and its two-photon line, and from them frequency, anharmonicity and a first control amplitude.',
  backends: [SIMULATOR_BACKEND],
  inputs: spectroscopyInputs,
  runParameters: settings(-60),
  outputs: {
    coarse_qubit_frequency: coarseQubitFrequency,
    anharmonicity: {
      unit: 'GHz',
      valueType: 'float',
      description: 'Second transition frequency minus the first; absent where no second line is seen',
      bounds: { minimum: -1, maximum: -0.05 },
    },
    f01_repr_db: {
      unit: 'dB',
      valueType: 'float',
      description: 'Lowest power at which the line is two points wide',
    },
    f01_quality_level: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'How clearly the line stands out, from 0 to 5',
      bounds: { minimum: 0, maximum: 5 },
    },
    coarse_control_amplitude: amplitudeOutput('Control amplitude to begin with'),
  },
  figures: markedAndRaw,
  scope: 'target',
  kind: 'measured',
  timeout: TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
};

export const checkSimultaneousQubitSpectroscopy: TaskDefinition = {
  ...checkQubitSpectroscopy,
  name: 'CheckSimultaneousQubitSpectroscopy',
  description: 'As CheckQubitSpectroscopy, for many qubits in one measurement.',
  runParameters: settings(-40),
  scope: 'batch',
};
