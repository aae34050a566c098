import type { TaskFigure, TaskOutput, TaskRunParameter } from '../../model.ts';
import { frequencyLimits } from './limits.ts';

/** What a spectroscopy task has in common with the others. */
export const CW_CATEGORY = 'CW Measurements';

/** Which of the two frequency ranges is swept: an attribute of the chip, never read off its name. */
export const band: TaskRunParameter = {
  value: 'high',
  valueType: 'str',
  unit: '',
  description: 'Frequency band of the chip: high sweeps frequency_range, low frequency_range_low_band',
  choices: ['high', 'low'],
};

export const resonatorRanges: Readonly<Record<string, TaskRunParameter>> = {
  band,
  frequency_range: {
    value: [9.75, 10.75, 0.002],
    valueType: 'np.arange',
    unit: 'GHz',
    description: 'Readout frequencies, high band',
    bounds: frequencyLimits,
  },
  frequency_range_low_band: {
    value: [5.75, 6.75, 0.002],
    valueType: 'np.arange',
    unit: 'GHz',
    description: 'Readout frequencies, low band',
    bounds: frequencyLimits,
  },
};

export const markedAndRaw: readonly TaskFigure[] = [
  { description: 'Map with what was found in it', role: 'marked' },
  { description: 'Map as measured', role: 'raw' },
];

/** A frequency in GHz; 0 is never one. */
export function frequencyOutput(description: string): TaskOutput {
  return {
    unit: 'GHz',
    valueType: 'float',
    description,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 20 },
  };
}

/** An amplitude within the range of the instrument. */
export function amplitudeOutput(description: string): TaskOutput {
  return {
    unit: 'a.u.',
    valueType: 'float',
    description,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
  };
}
