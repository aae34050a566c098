import type { Estimate } from '../../science/fitting/estimate.ts';
import { coherenceInfidelity } from '../../science/quantum/gate-coherence.ts';
import { coherenceLimitFigure, timeOf } from '../common/analysis/coherence-limit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

/** The fidelity of a gate of `drag_hpi_duration` that is limited only by T1 and T2, computed from stored values. */
export function analyseOneQubitCoherenceLimit(input: AnalysisInput): Analysis {
  const { inputs, runParameters } = input;
  const [t1, t2] = [timeOf(inputs.t1_average), timeOf(inputs.t2_echo_average)];
  const duration = numberOf(runParameters.drag_hpi_duration);
  const unusable = [
    ...(t1 === undefined ? ['t1_average'] : []),
    ...(t2 === undefined ? ['t2_echo_average'] : []),
    ...(duration === undefined || !(duration > 0) ? ['drag_hpi_duration'] : []),
  ];
  if (t1 === undefined || t2 === undefined || duration === undefined || unusable.length > 0) {
    return withoutFigures(`it needs numbers above 0 for ${unusable.join(' and ')}`);
  }
  const limit = (time: number) => 1 - coherenceInfidelity(time, t1.value, t2.value);
  // ∂F/∂T2 = (2/6) (t/T2²) e^(−t/T2), ∂F/∂T1 = (1/6) (t/T1²) e^(−t/T1).
  const byT2 = ((2 / 6) * duration * Math.exp(-duration / t2.value)) / t2.value ** 2;
  const byT1 = ((1 / 6) * duration * Math.exp(-duration / t1.value)) / t1.value ** 2;
  const found: Estimate = { value: limit(duration), error: Math.hypot(byT1 * t1.error, byT2 * t2.error) };
  return {
    outputs: { one_qubit_gate_coherence_limit: found },
    r2: null,
    figures: [coherenceLimitFigure(input, duration, found, limit)],
  };
}
