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

/** The two settings that every averaged measurement has: repetitions and the time between their starts. */
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

/** Lengths of a control pulse, as `range` counts them, ns. */
export function controlPulseLengths(value: readonly [number, number, number]): TaskRunParameter {
  return {
    value,
    valueType: 'range',
    unit: 'ns',
    description: 'Lengths of the control pulse',
    bounds: timeLimits,
  };
}

/** Points between the first ones of a sweep in time, ns. */
export function fineTimes(value: readonly [number, number, number], what: string): TaskRunParameter {
  return {
    value,
    valueType: 'np.arange',
    unit: 'ns',
    description: `Further ${what} between the first ones of time_range, which tell fast oscillations from slow ones`,
    bounds: timeLimits,
  };
}

/** Frequencies within 10 MHz of the believed one. */
export function detunings(description: string): TaskRunParameter {
  return {
    value: [-0.01, 0.01, 21],
    valueType: 'np.linspace',
    unit: 'GHz',
    description,
    bounds: detuningLimits,
  };
}

/** Readout frequencies in which both resonators of a qubit lie, with its tone believed anywhere between them. */
export const readoutDetunings: TaskRunParameter = {
  value: [-0.025, 0.025, 126],
  valueType: 'np.linspace',
  unit: 'GHz',
  description: 'Readout frequencies, less the believed one',
  bounds: detuningLimits,
};

/** How often a check repeats a pulse or a gate. */
export function repetitions(description: string): TaskRunParameter {
  return {
    value: 20,
    valueType: 'int',
    unit: '',
    description,
    bounds: { minimum: PULSE_REPETITIONS.fewest, maximum: PULSE_REPETITIONS.most },
  };
}
