import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: { type: 'muxes', description: 'Multiplexers to bring up; without them all of the chip' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  mode: {
    type: 'text',
    one_of: ['scheduled', 'synchronized', 'serial'],
    default: 'scheduled',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
  resonator_assignment_order: {
    type: 'text',
    description:
      'Places on the multiplexer by rising resonator frequency: default, 16q, or a list such as 3,0,2,1',
  },
  resonator_assignment_pattern: { type: 'text', alias_of: 'resonator_assignment_order' },
} as const satisfies ParameterDeclarations;

/** From nothing to a qubit's frequency and drive: configures the boxes, then finds resonators and qubits. */
export async function bringup(session: Session<typeof parameters>) {
  const { mux_ids, mode, resonator_assignment_order } = session.parameters;
  const targets = session.targets.chosen();

  const configured = await session.run({
    name: 'Configure',
    tasks: [{ name: 'ConfigureAll', run_parameters: { mux_ids } }],
    targets,
  });
  const stage = await session.bringUp(session.filter.byStatus(configured), {
    mode,
    run_parameters: { resonator_assignment_pattern: resonator_assignment_order || undefined },
  });
  session.log(`${stage.passed.length} of ${targets.length} qubits were brought up`);
  return { passed: stage.passed, failed: targets.filter((qid) => !stage.passed.includes(qid)) };
}
