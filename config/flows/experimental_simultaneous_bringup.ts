import type { Session } from 'calibron';

interface Parameters {
  /** Multiplexers to bring up; win over qids. */
  mux_ids?: number[];
  /** Qubits to bring up. */
  qids?: (string | number)[];
  /** Qubits to leave out. */
  exclude_qids?: (string | number)[];
  /** all: one sweep of all qubits together; local_index: four, each of one place of every multiplexer. */
  schedule_mode?: 'all' | 'local_index';
}

/** A bring-up that searches for many qubits in one sweep. */
export async function experimental_simultaneous_bringup(session: Session<Parameters>) {
  const targets = chosenQubits(session);
  const batchesOf = batching(session.parameters.schedule_mode);

  const resonators = await session.run({
    name: 'Resonators',
    tasks: ['CheckResonatorSpectroscopy'],
    targets,
  });
  const found: string[] = [];
  for (const [index, batch] of batchesOf(resonators.passed).entries()) {
    const qubits = await session.run({
      name: `Qubits, batch ${index + 1}`,
      tasks: ['CheckSimultaneousQubitSpectroscopy'],
      targets: batch,
    });
    found.push(...qubits.passed);
  }
  const drives = await session.run({
    name: 'Drives',
    tasks: ['CheckControlAmplitude', 'CheckChevron'],
    targets: found,
  });
  session.log(`${drives.passed.length} of ${targets.length} qubits were brought up`);
  return { passed: drives.passed, failed: targets.filter((qid) => !drives.passed.includes(qid)) };
}

/** The qubits of mux_ids, else qids, without those to leave out. */
function chosenQubits({ parameters, targets }: Session<Parameters>): string[] {
  const { mux_ids, qids, exclude_qids } = parameters;
  if (mux_ids == null && qids == null) throw new Error('give mux_ids or qids');
  const excluded = targets.qubits(exclude_qids ?? []);
  const wanted = mux_ids == null ? targets.qubits(qids ?? []) : targets.muxes(mux_ids);
  const qubits = wanted.filter((qid) => !excluded.includes(qid));
  if (qubits.length === 0) throw new Error('no qubit is left to bring up');
  return qubits;
}

/** How qubits are divided into sweeps. */
function batching(mode: Parameters['schedule_mode']): (qids: string[]) => string[][] {
  if (!mode || mode === 'all') return (qids) => [qids];
  if (mode === 'local_index') {
    const places = [0, 1, 2, 3];
    return (qids) => places.map((place) => qids.filter((qid) => Number(qid) % places.length === place));
  }
  throw new Error(`schedule_mode is all or local_index, not ${mode}`);
}
