import { analyseDecay } from '../common/analysis/decay.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';

/** Fits the decay of the excited state over the waiting `time`; see {@link analyseDecay}. */
export function analyseT1(input: AnalysisInput): Analysis {
  return analyseDecay(input, { output: 't1', symbol: 'T1', axis: 'Waiting time (us)' });
}
