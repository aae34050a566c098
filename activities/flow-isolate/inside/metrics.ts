/** Common metric names → the parameter that tasks store. */
const storedAs: { [metric: string]: string } = {
  x90_fidelity: 'x90_gate_fidelity',
  x180_fidelity: 'x180_gate_fidelity',
  rb_fidelity: 'average_gate_fidelity',
  readout_fidelity: 'average_readout_fidelity',
  zx90_fidelity: 'zx90_gate_fidelity',
  bell_fidelity: 'bell_state_fidelity',
};

/** The stored parameter of a metric. Any other name is treated as the name of a stored parameter. */
export function parameterOfMetric(metric: string): string {
  return Object.hasOwn(storedAs, metric) ? (storedAs[metric] ?? metric) : metric;
}
