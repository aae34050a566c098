import { SEQUENCES_PER_LENGTH } from '../../../science/conventions/benchmarking.ts';
import type { TaskOutput } from '../../model.ts';
import { type RunParameters, shotsAndInterval } from './settings.ts';

/** Common settings of one- and two-qubit benchmarks. */
export const benchmarkSettings = {
  n_trials: {
    value: 10,
    valueType: 'int',
    unit: '',
    description: 'Random sequences of each length',
    bounds: { minimum: SEQUENCES_PER_LENGTH.fewest, maximum: SEQUENCES_PER_LENGTH.most },
  },
  ...shotsAndInterval(2048),
} satisfies RunParameters;

/** A benchmark without and with a gate after each Clifford. */
export const interleavedBenchmark = {
  category: 'Benchmarking',
  runParameters: benchmarkSettings,
  figures: [{ description: 'Survival against the number of Cliffords, without and with the gate' }],
  timeout: 1800,
} as const;

export function depolarizingRateOutput(description: string): TaskOutput {
  return {
    unit: 'a.u.',
    valueType: 'float',
    description,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 1 },
  };
}
