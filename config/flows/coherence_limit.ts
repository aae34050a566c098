import type { Session } from 'calibron';

interface Parameters {
  /** Multiplexers whose qubits to look at; win over qids. */
  mux_ids?: number[];
  /** Qubits to look at. */
  qids?: (string | number)[];
  /** Qubits to leave out. */
  exclude_qids?: (string | number)[];
}

/** How good a gate can be at best, from the T1 and T2 echo that were averaged before. Measures nothing. */
export async function coherence_limit(session: Session<Parameters>) {
  const targets = chosenQubits(session);
  const stage = await session.run({
    name: 'One-qubit coherence limit',
    tasks: ['Check1QGateCoherenceLimit'],
    targets,
  });
  return { passed: stage.passed, failed: stage.failed };
}

/** The qubits of mux_ids, else qids, without those to leave out. */
function chosenQubits({ parameters, targets }: Session<Parameters>): string[] {
  const { mux_ids, qids, exclude_qids } = parameters;
  if (mux_ids == null && qids == null) throw new Error('give mux_ids or qids');
  const excluded = targets.qubits(exclude_qids ?? []);
  const wanted = mux_ids == null ? targets.qubits(qids ?? []) : targets.muxes(mux_ids);
  const qubits = wanted.filter((qid) => !excluded.includes(qid));
  if (qubits.length === 0) throw new Error('no qubit is left to look at');
  return qubits;
}
