import type { TaskInput } from './model.ts';

/** The qubits of a coupling `control-target`; null if the id does not name two qubits. */
export function couplingEnds(id: string): { control: string; target: string } | null {
  const [control, target, ...more] = id.split('-');
  return control && target && more.length === 0 ? { control, target } : null;
}

/** Name under which an input's value is stored: `control_qubit_frequency` is the control's `qubit_frequency`. */
export function parameterOf(
  name: string,
  { from, parameter }: Pick<TaskInput, 'from' | 'parameter'>,
): string {
  if (parameter !== undefined) return parameter;
  return from !== undefined && name.startsWith(`${from}_`) ? name.slice(from.length + 1) : name;
}
