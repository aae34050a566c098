import type { Session } from 'calibron';

interface Parameters {
  /** Multiplexers whose qubits to calibrate; win over qids. */
  mux_ids?: number[];
  /** Qubits to calibrate. */
  qids?: (string | number)[];
  /** Qubits to leave out. */
  exclude_qids?: (string | number)[];
  /** Run in this order on each qubit. */
  tasks?: string[];
  /** synchronized: all qubits at the same time; serial: one after the other. */
  mode?: 'synchronized' | 'serial';
}

/** Runs a list of tasks, one after the other, on each of the chosen qubits. */
export async function simple_calibration(session: Session<Parameters>) {
  const targets = chosenQubits(session);
  const tasks = session.parameters.tasks ?? ['CheckRabi', 'CreateHPIPulse', 'CheckHPIPulse'];
  const parallel = atATime(session.parameters.mode);

  const stage = await session.run({ name: 'Calibration', tasks, targets, parallel });
  session.log(`${stage.passed.length} of ${targets.length} qubits passed ${tasks.join(', ')}`);
  return { passed: stage.passed, failed: stage.failed };
}

/** The qubits of mux_ids, else qids, without those to leave out. */
function chosenQubits({ parameters, targets }: Session<Parameters>): string[] {
  const { mux_ids, qids, exclude_qids } = parameters;
  if (mux_ids == null && qids == null) throw new Error('give mux_ids or qids');
  const excluded = targets.qubits(exclude_qids ?? []);
  const wanted = mux_ids == null ? targets.qubits(qids ?? []) : targets.muxes(mux_ids);
  const qubits = wanted.filter((qid) => !excluded.includes(qid));
  if (qubits.length === 0) throw new Error('no qubit is left to calibrate');
  return qubits;
}

/** Qubits at a time: 1, or undefined for as many as the worker takes. */
function atATime(mode: Parameters['mode']): number | undefined {
  if (!mode || mode === 'synchronized') return undefined;
  if (mode === 'serial') return 1;
  throw new Error(`mode is synchronized or serial, not ${mode}`);
}
