import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  schedule: {
    type: 'pair_groups',
    description:
      'Groups of pairs [control, target]: group after group, the pairs of a group at the same time; without it all pairs of the chip',
  },
  tasks: { type: 'tasks', description: 'In place of the full two-qubit list' },
} as const satisfies ParameterDeclarations;

/** Two-qubit gates in the order that the run gives, else as pairs fit together. The qubits must be tuned finely before. */
export async function two_qubit_scheduled(session: Session<typeof parameters>) {
  const { schedule: groups } = session.parameters;
  const schedule = groups ? session.targets.pairGroups(groups) : await session.schedulePairs();
  if (schedule.pairs.length === 0) throw new Error('schedule names no pair');
  const stage = await session.twoQubit(schedule, { tasks: session.parameters.tasks });
  session.log(`${stage.passed.length} of ${schedule.pairs.length} pairs were calibrated`);
  return { passed: stage.passed, failed: stage.failed };
}
