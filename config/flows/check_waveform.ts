import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description: 'Multiplexers to look at; qids counts only without them, and without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to look at' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  mode: {
    type: 'text',
    one_of: ['scheduled', 'synchronized', 'serial'],
    default: 'synchronized',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
} as const satisfies ParameterDeclarations;

/** Captures the readout waveform of each qubit. */
export async function check_waveform(session: Session<typeof parameters>) {
  const stage = await session.run({
    name: 'Waveforms',
    tasks: ['CheckWaveform'],
    targets: session.targets.chosen(),
    mode: session.parameters.mode,
  });
  return { passed: stage.passed, failed: stage.failed };
}
