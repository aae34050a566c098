import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  qids: { type: 'qubits', description: 'Qubits whose pairs to calibrate; without them all of the chip' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  tasks: { type: 'tasks', description: 'In place of the full two-qubit list' },
  max_parallel_ops: { type: 'integer', minimum: 1, default: 10, description: 'Pairs at the same time' },
  inverse: { type: 'boolean', default: false, description: 'Control and target change places' },
} as const satisfies ParameterDeclarations;

/** Two-qubit gates between the chosen qubits, which must be tuned finely before. */
export async function two_qubit(session: Session<typeof parameters>) {
  const { tasks, max_parallel_ops, inverse } = session.parameters;
  const candidates = session.targets.chosen();
  if (candidates.length < 2) throw new Error('a pair needs two qubits: give more in qids');

  const schedule = await session.schedulePairs({ candidates, max_parallel_ops, inverse });
  if (schedule.pairs.length === 0) session.end('The flow ended because no two of the qubits can be paired.');
  const stage = await session.twoQubit(schedule, { tasks });
  session.log(`${stage.passed.length} of ${schedule.pairs.length} pairs were calibrated`);
  return { passed: stage.passed, failed: stage.failed };
}
