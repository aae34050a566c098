import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description: 'Multiplexers to bring up; qids counts only without them, and without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to bring up' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  schedule_mode: {
    type: 'text',
    one_of: ['all', 'local_index'],
    default: 'all',
    description:
      'all: one sweep of all qubits together; local_index: four, each of one place of every multiplexer',
  },
} as const satisfies ParameterDeclarations;

/** A bring-up that searches for many qubits in one sweep. */
export async function experimental_simultaneous_bringup(session: Session<typeof parameters>) {
  const targets = session.targets.chosen();
  const resonators = await session.run({
    name: 'Resonators',
    tasks: ['CheckResonatorSpectroscopy'],
    targets,
    mode: 'scheduled',
  });
  const qubits = await session.run({
    name: 'Qubits',
    tasks: ['CheckSimultaneousQubitSpectroscopy'],
    targets: session.filter.byStatus(resonators),
    mode: 'simultaneous',
    batches: session.parameters.schedule_mode,
  });
  const drives = await session.run({
    name: 'Drives',
    tasks: ['CheckControlAmplitude', 'CheckChevron'],
    targets: session.filter.byStatus(qubits),
    mode: 'scheduled',
  });
  session.log(`${drives.passed.length} of ${targets.length} qubits were brought up`);
  return { passed: drives.passed, failed: targets.filter((qid) => !drives.passed.includes(qid)) };
}
