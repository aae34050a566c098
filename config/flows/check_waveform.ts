import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description: 'Multiplexers to look at, before qids; without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to look at' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  mode: {
    type: 'text',
    one_of: ['scheduled', 'synchronized', 'serial'],
    default: 'synchronized',
    description: 'In which order the qubits are measured',
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
