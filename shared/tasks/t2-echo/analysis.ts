import { analyseDecay } from '../common/analysis/decay.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';

/** Fits the decay of the echo over the free `time`; see {@link analyseDecay}. */
export function analyseT2Echo(input: AnalysisInput): Analysis {
  return analyseDecay(input, { output: 't2_echo', symbol: 'T2 echo', axis: 'Free time (us)' });
}
