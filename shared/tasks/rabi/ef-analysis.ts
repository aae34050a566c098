import { threeLevelSweepFault } from '../../science/fitting/residuals.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { analyseRabi } from './analysis.ts';

/** Names of the second transition's outputs, by those of the first. */
const NAMES = {
  rabi_amplitude: 'ef_rabi_amplitude',
  rabi_frequency: 'ef_rabi_frequency',
  control_amplitude: 'ef_control_amplitude',
  maximum_rabi_frequency: 'ef_maximum_rabi_frequency',
} as const;

/** The oscillation of {@link analyseRabi}, between the second excited state and the state after a half turn back. */
export function analyseEfRabi(input: AnalysisInput): Analysis {
  const analysis = analyseRabi(input, { driven: 'the second transition', faultOf: threeLevelSweepFault });
  const outputs = Object.entries(NAMES).flatMap(([first, second]) => {
    const found = analysis.outputs[first];
    return found === undefined ? [] : [[second, found] as const];
  });
  return { ...analysis, outputs: Object.fromEntries(outputs) };
}
