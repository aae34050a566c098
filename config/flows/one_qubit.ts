import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description: 'Multiplexers to calibrate; qids counts only without them, and without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to calibrate' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  check_only: { type: 'boolean', default: false, description: 'Ends after the check' },
  mode: {
    type: 'text',
    one_of: ['synchronized', 'scheduled', 'serial'],
    default: 'synchronized',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
} as const satisfies ParameterDeclarations;

/** Checks each qubit, then tunes finely those that passed. */
export async function one_qubit(session: Session<typeof parameters>) {
  const { check_only, mode } = session.parameters;
  const targets = session.targets.chosen();

  const check = await session.oneQubitCheck(targets, { mode });
  if (check_only) return { passed: check.passed, failed: check.failed };

  const tuned = await session.oneQubitFineTune(session.filter.byStatus(check), { mode });
  session.log(`${tuned.passed.length} of ${check.passed.length} qubits were tuned finely`);
  return { passed: tuned.passed, failed: targets.filter((qid) => !tuned.passed.includes(qid)) };
}
