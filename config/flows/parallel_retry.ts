import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  groups: {
    type: 'qubit_groups',
    default: [
      [0, 1],
      [2, 3],
    ],
    description: 'Groups are measured at the same time, the qubits of one group one after another',
  },
  tasks: {
    type: 'tasks',
    default: ['CheckRabi', 'CheckT1'],
    description:
      'Run in this order on each qubit; they read the inputs, or have the run parameters, of attempts',
  },
  attempts: {
    type: 'attempts',
    default: [
      {},
      { input_offsets: { qubit_frequency: 0.001 } },
      { input_offsets: { qubit_frequency: -0.001 } },
    ],
    description:
      'What each attempt adds to stored inputs, or its run parameters; a qubit that passed is not tried again',
  },
} as const satisfies ParameterDeclarations;

/** Tries qubits that fail again with other settings: here 1 MHz above and below the stored frequency. */
export async function parallel_retry(session: Session<typeof parameters>) {
  const { groups, tasks, attempts } = session.parameters;
  if (groups.flat().length === 0) throw new Error('groups names no qubit');
  const result = await session.retry({ name: 'Calibration', tasks, schedule: [groups], attempts });
  return { passed: result.passed, failed: result.failed };
}
