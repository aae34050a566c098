import { analyseAverage } from '../common/analysis/average.ts';
import { analyseDecay } from '../common/analysis/decay.ts';
import type { Analyse } from '../common/analysis/model.ts';

const names = {
  symbol: 'T2 echo',
  axis: 'Free time (µs)',
  // Without coherence the last pulse leaves both states alike, as far as it is a quarter turn. One that is wrong by a
  // percent, as far as any that is in use, puts the end 0.008 beside the middle: evenly spread, that deviates by 0.005.
  // By the phase of that pulse the echo ends in the one state or in the other.
  end: { value: 0.5, error: 0.005, eitherSide: true },
  shapes: ['stretched'],
} as const;

/** Fits the decay of the echo over the free `time`; see {@link analyseDecay}. */
export const analyseT2Echo: Analyse = (input) => analyseDecay(input, { output: 't2_echo', ...names });

/** The same for each of several runs; see {@link analyseAverage}. */
export const analyseT2EchoAverage: Analyse = (input) =>
  analyseAverage(input, { output: 't2_echo_average', spread: 't2_echo_std', ...names });
