import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { analyseRabi } from './analysis.ts';

/** The oscillation of {@link analyseRabi}, of which only size and frequency are kept. */
export function analyseQubit(input: AnalysisInput): Analysis {
  const analysis = analyseRabi(input);
  const { rabi_amplitude, rabi_frequency } = analysis.outputs;
  const outputs: Analysis['outputs'] =
    rabi_amplitude && rabi_frequency ? { rabi_amplitude, rabi_frequency } : {};
  return { ...analysis, outputs, figures: analysis.figures.slice(0, 1) };
}
