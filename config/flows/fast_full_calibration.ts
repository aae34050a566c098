import type { PairSchedule, ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: { type: 'muxes', description: 'Multiplexers to calibrate; without them all of the chip' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  mode: {
    type: 'text',
    one_of: ['synchronized', 'scheduled', 'serial'],
    default: 'synchronized',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
  fidelity_threshold: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.9,
    description: 'Fidelity of the X90 gate that a qubit needs to take part in pairs',
  },
  max_parallel_ops: { type: 'integer', minimum: 1, default: 10, description: 'Pairs at the same time' },
  inverse: { type: 'boolean', default: false, description: 'Control and target change places' },
} as const satisfies ParameterDeclarations;

/** As full_calibration with short lists: no repeated check, no averages, no coherence limit. */
export async function fast_full_calibration(session: Session<typeof parameters>) {
  const { mux_ids, mode, fidelity_threshold, max_parallel_ops, inverse } = session.parameters;
  const targets = session.targets.chosen();

  const configured = await session.run({
    name: 'Configure',
    tasks: [{ name: 'ConfigureAll', run_parameters: { mux_ids } }],
    targets,
  });
  const check = await session.oneQubitCheck(session.filter.byStatus(configured), { mode, fast: true });
  const tuned = await session.oneQubitFineTune(session.filter.byStatus(check), { mode, fast: true });
  const candidates = await session.filter.byMetric(tuned.passed, 'x90_fidelity', fidelity_threshold);

  const schedule = await session.schedulePairs({ candidates, max_parallel_ops, inverse });
  const pairs = await session.twoQubit(schedule);
  session.log(
    `${candidates.length} of ${targets.length} qubits, ${pairs.passed.length} of ${schedule.pairs.length} pairs`,
  );
  const cz = await czGates(session, schedule);
  return { qubits: candidates, pairs: pairs.passed, cz };
}

/** CZ gates of the pairs of which the chip declares a flux line, by the limit of its pulses; the others are left alone. */
async function czGates(session: Session<typeof parameters>, schedule: PairSchedule): Promise<string[]> {
  if (schedule.pairs.length === 0) return [];
  const limits = await session.values('flux_pulse_limit', schedule.pairs);
  const targets = schedule.pairs.filter((pair) => typeof limits[pair] === 'number');
  if (targets.length === 0) return [];
  const tasks = ['CheckCZChevron', 'CheckCZPhase', 'CZInterleavedRandomizedBenchmarking'];
  const { passed } = await session.run({ name: 'CZ gates', tasks, targets, schedule });
  const others = schedule.pairs.length - targets.length;
  session.log(
    `${passed.length} of ${targets.length} CZ gates; pairs without a flux line, left out: ${others}`,
  );
  return passed;
}
