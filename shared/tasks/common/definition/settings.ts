import { PULSE_REPETITIONS } from '../../../science/conventions/pulse.ts';
import type { TaskRunParameter } from '../../model.ts';
import { detuningLimits, timeLimits } from './limits.ts';

export type RunParameters = Readonly<Record<string, TaskRunParameter>>;

/** Time between the starts of two repetitions. */
export const interval: TaskRunParameter = {
  value: 153_600,
  valueType: 'int',
  unit: 'ns',
  description: 'Time between the starts of two repetitions',
  bounds: { minimum: 1 },
};

/** The settings of every averaged measurement: repetitions and the time between their starts. */
export function shotsAndInterval(shots: number) {
  return {
    shots: {
      value: shots,
      valueType: 'int',
      unit: '',
      description: 'Repetitions averaged for each point',
      bounds: { minimum: 1, maximum: 1_000_000 },
    },
    interval,
  } satisfies RunParameters;
}

/** Lengths of a control pulse in ns, with the meaning of `range`. */
export function controlPulseLengths(value: readonly [number, number, number]): TaskRunParameter {
  return {
    value,
    valueType: 'range',
    unit: 'ns',
    description: 'Lengths of the control pulse',
    bounds: timeLimits,
  };
}

/** Additional points between the first ones of a time sweep, ns. */
export function fineTimes(value: readonly [number, number, number], what: string): TaskRunParameter {
  return {
    value,
    valueType: 'np.arange',
    unit: 'ns',
    description: `Additional ${what} between the first ones of time_range, which distinguish fast oscillations from slow ones`,
    bounds: timeLimits,
  };
}

/** Frequencies within 10 MHz of the assumed one. */
export function detunings(description: string): TaskRunParameter {
  return {
    value: [-0.01, 0.01, 21],
    valueType: 'np.linspace',
    unit: 'GHz',
    description,
    bounds: detuningLimits,
  };
}

/** Readout frequencies that cover both resonators of a qubit, for a tone anywhere between them. */
export const readoutDetunings: TaskRunParameter = {
  value: [-0.025, 0.025, 126],
  valueType: 'np.linspace',
  unit: 'GHz',
  description: 'Readout frequencies relative to the stored one',
  bounds: detuningLimits,
};

/** Numbers of repetitions of a pulse or a gate in a check. */
export function repetitions(description: string): TaskRunParameter {
  return {
    value: 20,
    valueType: 'int',
    unit: '',
    description,
    bounds: { minimum: PULSE_REPETITIONS.fewest, maximum: PULSE_REPETITIONS.most },
  };
}
