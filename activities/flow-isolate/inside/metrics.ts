/** Names under which people ask for metrics → the parameter that tasks store. */
const storedAs: { [metric: string]: string } = {
  x90_fidelity: 'x90_gate_fidelity',
  x180_fidelity: 'x180_gate_fidelity',
  rb_fidelity: 'average_gate_fidelity',
  readout_fidelity: 'average_readout_fidelity',
  zx90_fidelity: 'zx90_gate_fidelity',
  bell_fidelity: 'bell_state_fidelity',
};

/** The stored parameter of a metric; any other name is taken as a stored parameter itself. */
export function parameterOfMetric(metric: string): string {
  return Object.hasOwn(storedAs, metric) ? (storedAs[metric] ?? metric) : metric;
}
