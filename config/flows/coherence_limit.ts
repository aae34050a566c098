import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description:
      'Multiplexers whose qubits to look at; qids counts only without them, and without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to look at' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  mode: {
    type: 'text',
    one_of: ['synchronized', 'scheduled', 'serial'],
    default: 'synchronized',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
} as const satisfies ParameterDeclarations;

/**
 * How good gates can be at best, from the T1 and T2 echo that were averaged before: first of qubits, then of the
 * pairs between them. Measures nothing.
 */
export async function coherence_limit(session: Session<typeof parameters>) {
  const qubits = await session.run({
    name: 'One-qubit coherence limit',
    tasks: ['Check1QGateCoherenceLimit'],
    targets: session.targets.chosen(),
    mode: session.parameters.mode,
  });
  const schedule = await session.schedulePairs({ candidates: session.filter.byStatus(qubits) });
  const pairs = await session.twoQubit(schedule, {
    name: 'Two-qubit coherence limit',
    tasks: ['Check2QGateCoherenceLimit'],
  });
  return { qubits: qubits.passed, pairs: pairs.passed, failed: [...qubits.failed, ...pairs.failed] };
}
