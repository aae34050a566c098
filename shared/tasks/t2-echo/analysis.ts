import { analyseAverage } from '../common/analysis/average.ts';
import { analyseDecay } from '../common/analysis/decay.ts';
import type { Analyse } from '../common/analysis/model.ts';

const names = {
  symbol: 'T2 echo',
  axis: 'Free time (µs)',
  // Without coherence, a last pulse of exactly a quarter turn leaves both states equally populated. A pulse that is wrong by a
  // percent, which is the most in use, ends 0.008 from the middle; evenly distributed, that is a deviation of 0.005.
  // The phase of that pulse decides in which of the two states the echo ends.
  end: { value: 0.5, error: 0.005, eitherSide: true },
  shapes: ['stretched'],
} as const;

/** Fits the decay of the echo over the free `time`; see {@link analyseDecay}. */
export const analyseT2Echo: Analyse = (input) => analyseDecay(input, { output: 't2_echo', ...names });

/** Fits the same decay for each of several runs; see {@link analyseAverage}. */
export const analyseT2EchoAverage: Analyse = (input) =>
  analyseAverage(input, { output: 't2_echo_average', spread: 't2_echo_std', ...names });
