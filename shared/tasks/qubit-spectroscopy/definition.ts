import { qubitTask } from '../common/definition/bases.ts';
import {
  frequencyLimits,
  powerLimits,
  pulseAmplitudeLimits,
  ratioLimits,
} from '../common/definition/limits.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import { anharmonicityOutput } from '../common/definition/second-transition.ts';
import { type RunParameters, shotsAndInterval } from '../common/definition/settings.ts';
import {
  bandSweeps,
  CW_CATEGORY,
  coarseQubitFrequency,
  markedAndRaw,
  spectroscopyInputs,
  toneAmplitude,
} from '../common/definition/spectroscopy.ts';
import { defineTask } from '../model.ts';

/** Time limit of a map over two axes, seconds. */
const TIMEOUT = 7200;

function settings(lowestPower: number): RunParameters {
  return {
    ...bandSweeps('Drive frequencies', { high: [6.5, 9.75, 0.005], low: [3, 5.75, 0.005] }),
    power_range: {
      value: [lowestPower, 0, 5],
      valueType: 'np.arange',
      unit: 'dB',
      description: 'Drive powers',
      bounds: powerLimits,
    },
    readout_amplitude: toneAmplitude(),
    ...shotsAndInterval(1024),
    binarize_threshold_sigma_plus: {
      value: 3,
      valueType: 'float',
      unit: '',
      description: 'Phases above this many standard deviations of the map belong to a line',
      bounds: { minimum: 0, maximum: 100 },
    },
    binarize_threshold_sigma_minus: {
      value: -2,
      valueType: 'float',
      unit: '',
      description: 'Phases below this many standard deviations of the map belong to a line',
      bounds: { minimum: -100, maximum: 0 },
    },
    top_power: {
      value: 0,
      valueType: 'float',
      unit: 'dB',
      description: 'Power from which heights are measured, above the highest of the sweep',
      bounds: ratioLimits,
    },
    f01_height_min: {
      value: 14.9,
      valueType: 'float',
      unit: 'dB',
      description: "Minimum height of the qubit's line",
      bounds: ratioLimits,
    },
    f12_distance_min: {
      value: 0.125,
      valueType: 'float',
      unit: 'GHz',
      description: 'Minimum distance of the second line below the first',
      bounds: frequencyLimits,
    },
    f12_distance_max: {
      value: 0.5,
      valueType: 'float',
      unit: 'GHz',
      description: 'Maximum distance of the second line below the first',
      bounds: frequencyLimits,
    },
    f12_height_min: {
      value: 14.9,
      valueType: 'float',
      unit: 'dB',
      description: 'Minimum height of the second line',
      bounds: ratioLimits,
    },
    retry_with_trim: {
      value: 'false',
      valueType: 'str',
      unit: '',
      description: 'Whether to try again without the highest power if no line is found: true or false',
      choices: ['true', 'false'],
    },
    seed_amplitude_headroom_db: {
      value: 10,
      valueType: 'float',
      unit: 'dB',
      description: "Ratio of the control amplitude's power to the power at which the line becomes visible",
      bounds: ratioLimits,
    },
    max_coarse_control_amplitude: {
      value: 1,
      valueType: 'float',
      unit: 'a.u.',
      description: 'Maximum proposed control amplitude',
      bounds: pulseAmplitudeLimits,
    },
  };
}

export const checkQubitSpectroscopy = defineTask({
  ...qubitTask,
  name: 'CheckQubitSpectroscopy',
  category: CW_CATEGORY,
  description:
    'Sweeps a drive over the band at rising power, finds the line of the qubit and its two-photon line, and from them frequency, anharmonicity and a first control amplitude.',
  inputs: spectroscopyInputs,
  runParameters: settings(-60),
  outputs: {
    coarse_qubit_frequency: coarseQubitFrequency,
    anharmonicity: anharmonicityOutput(
      'Second transition frequency minus the first; absent if no second line is seen',
    ),
    f01_repr_db: {
      unit: 'dB',
      valueType: 'float',
      description: 'Lowest power at which the line is two points wide',
    },
    f01_quality_level: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Clarity of the line, from 0 to 5',
      bounds: { minimum: 0, maximum: 5 },
    },
    coarse_control_amplitude: amplitudeOutput('Initial control amplitude'),
  },
  figures: markedAndRaw,
  timeout: TIMEOUT,
});

export const checkSimultaneousQubitSpectroscopy = defineTask({
  ...checkQubitSpectroscopy,
  name: 'CheckSimultaneousQubitSpectroscopy',
  description: 'Same as CheckQubitSpectroscopy, for many qubits in one measurement.',
  runParameters: settings(-40),
  scope: 'batch',
});
