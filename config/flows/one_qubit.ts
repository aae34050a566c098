import type { Session } from 'calibron';

interface Parameters {
  /** Multiplexers whose qubits to calibrate; win over qids. */
  mux_ids?: number[];
  /** Qubits to calibrate. */
  qids?: (string | number)[];
  /** Qubits to leave out. */
  exclude_qids?: (string | number)[];
  /** Ends after the check. */
  check_only?: boolean;
  /** synchronized: all qubits at the same time; serial: one after the other. */
  mode?: 'synchronized' | 'serial';
}

/** CheckRabi comes again because each one brings the drive closer to the wanted Rabi frequency. */
const CHECK = [
  'CheckRabi',
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CheckT1',
  'CheckT2Echo',
  'CheckRamsey',
];

const FINE_TUNE = [
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CreatePIPulse',
  'CheckPIPulse',
  'CreateDRAGHPIPulse',
  'CheckDRAGHPIPulse',
  'CreateDRAGPIPulse',
  'CheckDRAGPIPulse',
  'ReadoutClassification',
  'CheckT1Average',
  'CheckT2EchoAverage',
  'Check1QGateCoherenceLimit',
  'RandomizedBenchmarking',
  'X90InterleavedRandomizedBenchmarking',
];

/** Checks each qubit, then tunes finely those that passed. */
export async function one_qubit(session: Session<Parameters>) {
  const { check_only, mode } = session.parameters;
  const targets = chosenQubits(session);
  const parallel = atATime(mode);

  const check = await session.run({ name: 'One-qubit check', tasks: CHECK, targets, parallel });
  session.record('filter', {
    criteria: 'every task of the check completed',
    input: targets.length,
    output: check.passed.length,
    pass_rate: check.passed.length / targets.length,
  });
  session.log(`${check.passed.length} of ${targets.length} qubits passed the check`);
  if (check_only) return { passed: check.passed, failed: check.failed };

  const tuned = await session.run({
    name: 'One-qubit fine-tune',
    tasks: FINE_TUNE,
    targets: check.passed,
    parallel,
  });
  session.log(`${tuned.passed.length} of ${check.passed.length} qubits were tuned finely`);
  return { passed: tuned.passed, failed: targets.filter((qid) => !tuned.passed.includes(qid)) };
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
