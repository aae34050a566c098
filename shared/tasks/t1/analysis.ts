import { analyseAverage } from '../common/analysis/average.ts';
import { analyseDecay } from '../common/analysis/decay.ts';
import type { Analyse } from '../common/analysis/model.ts';

const names = {
  symbol: 'T1',
  axis: 'Waiting time (µs)',
  // The qubit returns to its initial state, which is the prepared ground state.
  end: { value: 0, error: 0 },
  shapes: ['twoRates'],
} as const;

/** Fits the decay of the excited state over the waiting `time`; see {@link analyseDecay}. */
export const analyseT1: Analyse = (input) => analyseDecay(input, { output: 't1', ...names });

/** Fits the same decay for each of several runs; see {@link analyseAverage}. */
export const analyseT1Average: Analyse = (input) =>
  analyseAverage(input, { output: 't1_average', spread: 't1_std', ...names });
