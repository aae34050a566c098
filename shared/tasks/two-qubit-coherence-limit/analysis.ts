import type { Estimate } from '../../science/fitting/estimate.ts';
import { pairCoherenceInfidelity } from '../../science/quantum/gate-coherence.ts';
import { coherenceLimitFigure, timeOf } from '../common/analysis/coherence-limit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

const TIMES = [
  'control_t1_average',
  'control_t2_echo_average',
  'target_t1_average',
  'target_t2_echo_average',
] as const;

/** Relative step of the numerical derivative by a coherence time. */
const STEP = 1e-4;

/** The fidelity of the ZX90 gate that is limited only by T1 and T2 of both qubits, computed from stored values. */
export function analyseTwoQubitCoherenceLimit(input: AnalysisInput): Analysis {
  const { inputs } = input;
  const times = TIMES.map((name) => timeOf(inputs[name]));
  const duration = numberOf(inputs.zx90_gate_time);
  const known = times.flatMap((time) => (time === undefined ? [] : [time]));
  const unusable = [
    ...TIMES.filter((_, index) => times[index] === undefined),
    ...(duration === undefined || !(duration > 0) ? ['zx90_gate_time'] : []),
  ];
  if (unusable.length > 0 || duration === undefined) {
    return withoutFigures(`it needs numbers above 0 for ${unusable.join(' and ')}`);
  }
  const limitOf = (values: readonly number[], time: number) => {
    const [t1a = 0, t2a = 0, t1b = 0, t2b = 0] = values;
    return 1 - pairCoherenceInfidelity(time, { t1: t1a, t2: t2a }, { t1: t1b, t2: t2b });
  };
  const values = known.map(({ value }) => value);
  const limit = (time: number) => limitOf(values, time);
  const errors = known.map(({ value, error }, index) => {
    const moved = values.map((each, place) => (place === index ? each * (1 + STEP) : each));
    return ((limitOf(moved, duration) - limit(duration)) / (value * STEP)) * error;
  });
  const found: Estimate = { value: limit(duration), error: Math.hypot(...errors) };
  return {
    outputs: { two_qubit_gate_coherence_limit: found },
    r2: null,
    figures: [coherenceLimitFigure(input, duration, found, limit)],
  };
}
