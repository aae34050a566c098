import { RESONATOR_BANDS_GHZ } from '../../../science/conventions/readout.ts';
import type { TaskFigure, TaskInput, TaskOutput, TaskRunParameter } from '../../model.ts';
import { frequencyLimits, pulseAmplitudeLimits, transmonLimits } from './limits.ts';
import { frequencyOutput } from './outputs.ts';
import { readoutInputs } from './qubit-inputs.ts';
import type { RunParameters } from './settings.ts';
import { coarseFrequencyWander } from './wander.ts';

/** Category of the tasks that measure with continuous tones. */
export const CW_CATEGORY = 'CW Measurements';

/** The frequency range to sweep. It is an attribute of the chip and is never derived from the chip's name. */
const band: TaskRunParameter = {
  value: 'high',
  valueType: 'str',
  unit: '',
  description: 'Frequency band of the chip: high sweeps frequency_range, low frequency_range_low_band',
  choices: ['high', 'low'],
};

type Sweep = readonly [number, number, number];

/** A sweep of a tone in either band of the chip in GHz, with the meaning of `np.arange`. */
export function bandSweeps(tone: string, { high, low }: { high: Sweep; low: Sweep }) {
  const sweep = (value: Sweep, name: 'high' | 'low'): TaskRunParameter => ({
    value,
    valueType: 'np.arange',
    unit: 'GHz',
    description: `${tone}, ${name} band`,
    bounds: frequencyLimits,
  });
  return {
    band,
    frequency_range: sweep(high, 'high'),
    frequency_range_low_band: sweep(low, 'low'),
  } satisfies RunParameters;
}

/** The sweep that covers all resonators of a multiplexer. */
export const resonatorSweeps = bandSweeps('Readout frequencies', {
  high: [RESONATOR_BANDS_GHZ.high.from, RESONATOR_BANDS_GHZ.high.to, 0.002],
  low: [RESONATOR_BANDS_GHZ.low.from, RESONATOR_BANDS_GHZ.low.to, 0.002],
});

/** Design values that identify the resonators of a multiplexer, in any order and even if some are missing. */
export const resonatorDesign = {
  resonator_design_frequencies: {
    value: [],
    valueType: 'list',
    unit: 'GHz',
    description:
      'Design frequencies of the resonators of a MUX, one for each of its positions in turn; if empty, an earlier value of the qubit, the wiring of the backend, or the order of all resonators determines the assignment',
    bounds: frequencyLimits,
  },
} satisfies RunParameters;

/** Amplitude of the readout tone; qubit spectroscopy uses a weak one. */
export function toneAmplitude(value = 0.04): TaskRunParameter {
  return {
    value,
    valueType: 'float',
    unit: 'a.u.',
    description: 'Amplitude of the readout tone',
    bounds: pulseAmplitudeLimits,
  };
}

/** Frequency of the readout tone while another parameter is swept. */
export const toneFrequency: TaskInput = readoutInputs.readout_frequency;

/** Spectroscopy reads out with its own weak tone. The calibrated amplitude is an input only for provenance. */
export const spectroscopyInputs = {
  readout_frequency: toneFrequency,
  readout_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Calibrated readout amplitude, for comparison with that of the run parameters',
    required: false,
    bounds: pulseAmplitudeLimits,
  },
} satisfies Readonly<Record<string, TaskInput>>;

/** The frequency of a qubit from its line in a spectrum. */
export const coarseQubitFrequency: TaskOutput = {
  ...frequencyOutput('Frequency of the qubit from its line'),
  bounds: transmonLimits,
  wander: coarseFrequencyWander,
};

export const markedAndRaw: readonly TaskFigure[] = [
  { description: 'Map with the results', role: 'marked' },
  { description: 'Measured map', role: 'raw' },
];
