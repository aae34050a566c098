import { expect } from 'vitest';
import { measureResult } from '../../activities/backends/backend.ts';
import type { FaultPlan } from '../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import type { TaskId } from '../../shared/kernel/ids.ts';
import type { Estimate } from '../../shared/science/fitting/estimate.ts';
import { analyse } from '../../shared/tasks/analyses.ts';
import type { AnalysedInput, Analysis } from '../../shared/tasks/common/analysis/model.ts';
import { parameterOf } from '../../shared/tasks/coupling-roles.ts';
import { gate } from '../../shared/tasks/gates.ts';
import { resolveRunParameters } from '../../shared/tasks/run-parameters.ts';
import { perfectInputs } from './drag-inputs.ts';
import { taskNamed } from './ids.ts';
import { at, datasetOf, type Measured, quiet, requestOf, taskOf } from './measured.ts';

export type Known = Record<string, Estimate>;

/** What is known of a pair: of each qubit, and of the pair itself. */
export interface KnownPair {
  control: Known;
  target: Known;
  coupling: Known;
}

/** Edges of a chip of 16 qubits within and between its four MUXes, as [control, target]. */
export const pairs: readonly (readonly [string, string])[] = [
  ...[0, 4, 8, 12].flatMap((first) => [
    [`${first}`, `${first + 1}`] as const,
    [`${first}`, `${first + 2}`] as const,
    [`${first + 3}`, `${first + 1}`] as const,
    [`${first + 3}`, `${first + 2}`] as const,
  ]),
  ['4', '1'],
  ['3', '6'],
  ['8', '2'],
  ['3', '9'],
  ['12', '9'],
  ['11', '14'],
  ['12', '6'],
  ['7', '13'],
];

/** Both qubits as a perfect calibration would have left them, and nothing of the pair. */
export function calibratedPair(seed: string, control: string, target: string): KnownPair {
  const of = (qid: string) => {
    const truth = createSimulator({ seed }).truth('chip', qid, at);
    const times = { t1_average: truth.t1, t2_echo_average: truth.t2Echo };
    return exact({ ...perfectInputs(seed, qid), ...times });
  };
  return { control: of(control), target: of(target), coupling: {} };
}

function exact(values: Record<string, number>): Known {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, error: 0 }]));
}

/** Measures one coupling task with what is known of the pair. */
export async function measurePair(
  name: string,
  { seed, qid }: { seed: string; qid: string },
  known: KnownPair,
  options: { run?: Record<string, unknown>; taskId?: TaskId; faults?: FaultPlan } = {},
): Promise<Measured & { inputs: Record<string, AnalysedInput> }> {
  const task = taskOf(name);
  const inputs: Record<string, AnalysedInput> = {};
  for (const [input, definition] of Object.entries(task.inputs)) {
    const { from = 'coupling', unit, valueType, required } = definition;
    const found = known[from][parameterOf(input, definition)];
    if (found === undefined && !required) continue;
    if (found === undefined) expect.fail(`${name} finds no ${input}`);
    inputs[input] = { value: found.value, error: found.error, unit, value_type: valueType };
  }
  const { parameters: runParameters } = resolveRunParameters(task, [options.run ?? {}]);
  const request = requestOf(task, qid, inputs, {
    run_parameters: runParameters,
    task_id: options.taskId ?? taskNamed('task'),
  });
  const simulator = createSimulator({ seed, faults: options.faults, now: () => at });
  const computed = { dims: {}, coordinates: {}, variables: {} };
  const dataset =
    task.kind === 'computed'
      ? computed
      : datasetOf(measureResult.parse(await simulator.measure(request, quiet())), qid);
  return { task, qid, dataset, inputs, runParameters, request };
}

/** Tasks of a pair in their order, from blank to benchmarked. */
export const pairChain = [
  'CheckStaticZZ',
  'CheckCrossResonance',
  'CreateZX90',
  'CheckZX90',
  'CheckBellState',
  'CheckBellStateTomography',
  'Check2QGateCoherenceLimit',
  'ZX90InterleavedRandomizedBenchmarking',
];

/** Runs tasks as a run would: what one finds is kept with the pair, and the next ones read it. */
export async function calibratePair(
  seed: string,
  qid: string,
  known: KnownPair,
  options: { tasks?: readonly string[]; taskId?: TaskId; faults?: FaultPlan } = {},
): Promise<{ failure: string | null; known: KnownPair; analyses: Map<string, Analysis> }> {
  const analyses = new Map<string, Analysis>();
  const grown: KnownPair = { ...known, coupling: { ...known.coupling } };
  for (const name of options.tasks ?? pairChain) {
    const measured = await measurePair(name, { seed, qid }, grown, {
      taskId: taskNamed(`${options.taskId ?? ''}${seed}-${name}`),
      faults: options.faults,
    });
    const analysis = analyse(measured);
    analyses.set(name, analysis);
    const failure = gate(measured.task, analysis);
    if (failure !== null) return { failure: `${name}: ${failure.message}`, known: grown, analyses };
    Object.assign(grown.coupling, analysis.outputs);
  }
  return { failure: null, known: grown, analyses };
}
