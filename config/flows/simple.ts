import type { Session } from 'calibron';

interface Parameters {
  /** Multiplexers whose qubits to calibrate; win over qids. */
  mux_ids?: number[];
  /** Qubits to calibrate. */
  qids?: string[];
  tasks?: string[];
}

/** Runs a list of tasks, one after the other, on each of the chosen qubits. */
export async function simple_calibration(session: Session<Parameters>) {
  const { mux_ids, qids } = session.parameters;
  if (!mux_ids && !qids) throw new Error('give mux_ids or qids');
  const targets = mux_ids ? session.targets.muxes(mux_ids) : session.targets.qubits(qids ?? []);
  const tasks = session.parameters.tasks ?? ['CheckRabi', 'CheckT1'];

  const stage = await session.run({ name: 'Calibration', tasks, targets });
  session.log(`${stage.passed.length} of ${targets.length} qubits passed ${tasks.join(', ')}`);
  return { passed: stage.passed, failed: stage.failed };
}
