import type { ParameterDeclarations, Session } from 'calibron';

export const parameters = {
  mux_ids: {
    type: 'muxes',
    description:
      'Multiplexers to characterise; qids counts only without them, and without both all of the chip',
  },
  qids: { type: 'qubits', description: 'Qubits to characterise' },
  exclude_qids: { type: 'qubits', description: 'Qubits to leave out' },
  mode: {
    type: 'text',
    one_of: ['synchronized', 'scheduled', 'serial'],
    default: 'synchronized',
    description:
      'synchronized: step by step over the chip, neighbours in different steps; scheduled: multiplexers at the same time, the qubits of one in turn; serial: one qubit after another',
  },
  pairs: { type: 'boolean', default: true, description: 'Measures the ZZ coupling of neighbours, too' },
  max_parallel_ops: { type: 'integer', minimum: 1, default: 10, description: 'Pairs at the same time' },
  stability: {
    type: 'boolean',
    default: false,
    description:
      'Follows T1, frequency and readout in the end; with the usual rounds that takes two hours a step',
  },
} as const satisfies ParameterDeclarations;

/** What does not depend on each other is in lists of its own, so a qubit that fails one is measured in the next. */
const lists = [
  { name: 'Readout', tasks: ['CheckDispersiveShift', 'CheckReadoutQND', 'CheckActiveReset'] },
  { name: 'Pulses', tasks: ['CheckAllXY'] },
  {
    name: 'Second excited state',
    tasks: ['CheckEFSpectroscopy', 'CheckEFRabi', 'CheckThermalPopulation', 'LeakageRandomizedBenchmarking'],
  },
  { name: 'Crosstalk', tasks: ['SimultaneousRandomizedBenchmarking'] },
];

/**
 * What is good to know of a chip that was tuned finely and no gate needs: what reading out leaves behind, how warm and
 * how closed the qubits are, what neighbours do to each other, and how all of that stays.
 */
export async function characterisation(session: Session<typeof parameters>) {
  const { mode, pairs, max_parallel_ops, stability } = session.parameters;
  const targets = session.targets.chosen();

  const failed = new Set<string>();
  const note = (stage: { failed: readonly string[] }) => {
    for (const target of stage.failed) failed.add(target);
  };
  for (const { name, tasks } of lists) note(await session.run({ name, tasks, targets, mode }));
  let ofPairs = '';
  const schedule = pairs ? await session.schedulePairs({ candidates: targets, max_parallel_ops }) : null;
  if (schedule && schedule.pairs.length > 0) {
    const coupling = await session.twoQubit(schedule, { name: 'Coupling', tasks: ['CheckStaticZZ'] });
    // The qubits of a pair that fails may be as good as any.
    ofPairs = `, and ${coupling.passed.length} of ${schedule.pairs.length} pairs`;
  }
  if (stability) note(await session.run({ name: 'Stability', tasks: ['CheckStability'], targets, mode }));
  session.log(
    `${targets.length - failed.size} of ${targets.length} qubits${ofPairs} were characterised in full`,
  );
  return { passed: targets.filter((target) => !failed.has(target)), failed: [...failed] };
}
