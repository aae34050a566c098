import type { Session } from 'calibron';

/** Rabi oscillations on every qubit, then the energy relaxation time T1 of those that passed. */
export async function demo(session: Session) {
  const qubits = session.targets.all();

  const rabi = await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: qubits });
  for (const { target, message } of rabi.failures) session.log(`qubit ${target}: ${message}`);

  const t1 = await session.run({ name: 'T1', tasks: ['CheckT1'], targets: rabi.passed });
  for (const { target, message } of t1.failures) session.log(`qubit ${target}: ${message}`);

  session.record('yield', t1.passed.length / qubits.length);
  session.log(`Rabi: ${rabi.passed.length} of ${qubits.length} qubits; T1: ${t1.passed.length}`);
  return { passed: t1.passed };
}
