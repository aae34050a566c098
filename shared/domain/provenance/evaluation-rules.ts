import type { EvaluationMode } from './rules.ts';

/** Which way the metrics get better that are watched for degradation; of all others neither way is. */
export const evaluationModes: ReadonlyMap<string, EvaluationMode> = new Map<string, EvaluationMode>([
  ['readout_frequency', 'maximize'],
  ['qubit_frequency', 'maximize'],
  ['anharmonicity', 'minimize'],
  ['t1', 'maximize'],
  ['t1_average', 'maximize'],
  ['t2_echo', 'maximize'],
  ['t2_echo_average', 'maximize'],
  ['t2_star', 'maximize'],
  ['average_readout_fidelity', 'maximize'],
  ['average_gate_fidelity', 'maximize'],
  ['x90_gate_fidelity', 'maximize'],
  ['x180_gate_fidelity', 'maximize'],
  ['one_qubit_gate_coherence_limit', 'maximize'],
  ['zx90_gate_fidelity', 'maximize'],
  ['bell_state_fidelity', 'maximize'],
  ['two_qubit_gate_coherence_limit', 'maximize'],
  ['static_zz_interaction', 'minimize'],
]);
