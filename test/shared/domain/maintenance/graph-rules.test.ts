import { expect, test } from 'vitest';
import {
  cyclesOf,
  maintenanceGraph,
  refinementOf,
} from '../../../../shared/domain/maintenance/graph-rules.ts';
import { inOrderOfCalibration, type OrderedTask } from '../../../../shared/domain/maintenance/order-rules.ts';
import { taskCatalog } from '../../../../shared/tasks/catalog.ts';
import type { TaskInput, TaskOutput } from '../../../../shared/tasks/model.ts';

const graph = maintenanceGraph(taskCatalog);

const value: TaskOutput = { unit: 'GHz', valueType: 'float', description: 'A value' };
const input: TaskInput = { ...value, required: true };

function declared(
  name: string,
  { reads = [], writes = [], ...task }: Partial<OrderedTask> & { reads?: string[]; writes?: string[] },
): OrderedTask {
  return {
    name,
    taskType: 'qubit',
    category: '1Q Fine',
    inputs: Object.fromEntries(reads.map((each) => [each, input])),
    outputs: Object.fromEntries(writes.map((each) => [each, value])),
    ...task,
  };
}

function dependences(tasks: readonly OrderedTask[]) {
  return Object.fromEntries(maintenanceGraph(tasks).tasks.map((each) => [each.task.name, each.dependsOn]));
}

test('the graph of the catalog has no cycle', () => {
  expect(graph.edges.length).toBeGreaterThan(500);
  expect(cyclesOf(graph.edges)).toEqual([]);
});

test('a cycle would be found', () => {
  expect(
    cyclesOf([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'b' },
    ]).sort(),
  ).toEqual(['b', 'c']);
});

test('each output of each task is a node of its own, and the refinements of a value have no gap', () => {
  const refinements = new Map<string, number[]>();
  for (const { kind, parameter, refinement } of graph.nodes.values()) {
    const key = `${kind}/${parameter}`;
    refinements.set(key, [...(refinements.get(key) ?? []), refinement]);
  }
  for (const found of refinements.values()) {
    const first = found[0] ?? 0;
    expect(found).toEqual(found.map((_, index) => first + index));
  }
  for (const { name, outputs } of taskCatalog) {
    for (const parameter of Object.keys(outputs))
      expect(refinementOf(graph, name, parameter)).toBeGreaterThan(0);
  }
  expect(graph.tasks).toHaveLength(taskCatalog.length);
});

test('only values that no task finds first are entered by hand', () => {
  const entered = [...graph.nodes.values()].filter(({ task }) => task === null).map(({ id }) => id);
  expect(entered.sort()).toEqual([
    'coupling/flux_pulse_limit#0',
    'qubit/coarse_resonator_frequency#0',
    'qubit/readout_frequency#0',
    'qubit/readout_length#0',
  ]);
});

test('a task that refines a value reads the refinement before its own', () => {
  const refinement = refinementOf(graph, 'CheckRamsey', 'qubit_frequency') ?? 0;
  expect(graph.edges).toContainEqual({
    from: `qubit/qubit_frequency#${refinement - 1}`,
    to: `qubit/qubit_frequency#${refinement}`,
    role: 'own',
  });
});

test('a task of a coupling reads the finest values of both of its qubits, and those of the coupling', () => {
  const limit = graph.tasks.find(({ task }) => task.name === 'Check2QGateCoherenceLimit');
  expect(limit?.reads).toEqual([
    { node: 'qubit/t1_average#1', role: 'control' },
    { node: 'qubit/t2_echo_average#1', role: 'control' },
    { node: 'qubit/t1_average#1', role: 'target' },
    { node: 'qubit/t2_echo_average#1', role: 'target' },
    { node: 'coupling/zx90_gate_time#1', role: 'coupling' },
  ]);
});

test('tasks that a laboratory declares are placed by category and by what they read', () => {
  const own = [
    declared('UseFlux', { reads: ['flux_bias', 'qubit_frequency'], writes: ['flux_noise'] }),
    declared('FindFlux', { reads: ['flux_bias'], writes: ['flux_bias'] }),
  ];
  const found = dependences([...taskCatalog, ...own]);
  expect(found.UseFlux).toEqual(['FindFlux', 'CheckFineFrequency']);
  expect(found.FindFlux).toEqual([]);
  expect(found.CheckT1).not.toContain('FindFlux');
});

test('a task that a laboratory declares comes before the tasks of the catalog that read what only it finds', () => {
  const limit = declared('FindFluxLimit', {
    ...{ taskType: 'coupling', category: 'Lab', reads: ['flux_offset'], writes: ['flux_pulse_limit'] },
  });
  const offset = declared('FindFluxOffset', { category: 'Lab', reads: ['t1'], writes: ['flux_offset'] });
  const found = dependences([...taskCatalog, limit, offset]);
  expect(found.CheckCZChevron).toContain('FindFluxLimit');
  expect(found.CheckCZPhase).toContain('FindFluxLimit');
  expect(found.FindFluxOffset).toEqual(['CheckT1']);
});

test('tasks that read each other’s values make no cycle', () => {
  const tasks = [
    declared('A', { reads: ['b'], writes: ['a'] }),
    declared('B', { reads: ['a'], writes: ['b'] }),
    declared('C', { reads: ['c', 'b'], writes: ['c', 'a'] }),
  ];
  const { edges } = maintenanceGraph(tasks);
  expect(cyclesOf(edges)).toEqual([]);
  expect(dependences(tasks)).toEqual({ A: [], B: ['A'], C: ['B'] });
});

test('the order of calibration keeps the order in which the catalog declares the tasks of one qubit', () => {
  const qubitTasks = taskCatalog.filter(
    ({ taskType, category }) => taskType !== 'coupling' && category !== 'Benchmarking',
  );
  expect(inOrderOfCalibration(qubitTasks)).toEqual(qubitTasks);
});
