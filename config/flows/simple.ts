import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description: 'Multiplexers to calibrate; qids counts only without them, and without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to calibrate' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  tasks: {
    type: 'tasks',
    default: ['CheckRabi', 'CreateHPIPulse', 'CheckHPIPulse'],
    description: 'Run in this order on each qubit',
  },
  mode: {
    type: 'text',
    one_of: ['scheduled', 'synchronized', 'serial'],
    default: 'scheduled',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
} as const satisfies ParameterDeclarations;

/** Runs a list of tasks, one after the other, on each of the chosen qubits. */
export async function simple_calibration(session: Session<typeof parameters>) {
  const { tasks, mode } = session.parameters;
  const targets = session.targets.chosen();
  const stage = await session.run({ name: 'Calibration', tasks, targets, mode });
  session.log(`${stage.passed.length} of ${targets.length} qubits passed ${tasks.join(', ')}`);
  return { passed: stage.passed, failed: stage.failed };
}
