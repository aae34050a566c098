import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description: 'Multiplexers to maintain; qids counts only without them, and without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to maintain' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  minutes: {
    type: 'number',
    default: 40,
    minimum: 1,
    maximum: 1440,
    description: 'How long to measure at most',
  },
  mode: {
    type: 'text',
    one_of: ['synchronized', 'scheduled', 'serial'],
    default: 'synchronized',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
} as const satisfies ParameterDeclarations;

/** Checks what may no longer hold and calibrates what does not, the cause first, within a limit of time. */
export async function maintain(session: Session<typeof parameters>) {
  const { minutes, mode } = session.parameters;
  const targets = session.targets.chosen();

  const done = await session.maintain({ targets, seconds: 60 * minutes, mode });
  if (done.checked.length + done.measured.length === 0) {
    session.end('All values hold as far as is known; nothing was measured.');
  }
  return {
    holds: done.holds,
    checked: done.checked.length,
    measured: done.measured.length,
    not_repaired: done.not_repaired.slice(0, 20),
    postponed: done.postponed.length,
  };
}
