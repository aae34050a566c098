import { expect, test } from 'vitest';
import { maintenanceGraph } from '../../../../shared/domain/maintenance/graph-rules.ts';
import {
  dependencesIn,
  laterTasks,
  notHolding,
  refinementsIn,
  refiningNodes,
  targetOf,
} from '../../../../shared/domain/maintenance/maintain-nodes-rules.ts';
import {
  createJudge,
  type FailedTask,
  indexed,
  type ValueVersion,
} from '../../../../shared/domain/maintenance/state-rules.ts';
import { windowsFile } from '../../../../shared/domain/maintenance/windows-file.ts';
import { findTask } from '../../../../shared/tasks/catalog.ts';
import { taskNamed } from '../../../support/ids.ts';

const NAMES = ['CheckRabi', 'CreateHPIPulse', 'CheckChevron', 'CheckRamsey', 'CreateZX90'];
const graph = maintenanceGraph(NAMES.flatMap((name) => findTask(name) ?? []));
const settings = await windowsFile.read('/nowhere');
const now = new Date('2026-11-20T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);

function found(task: string, value: number, hours: number): ValueVersion {
  return { value, error: 1e-6, unit: '', at: hoursAgo(hours), task, taskId: taskNamed(`${task} ${hours}`) };
}

/** Why a task does not hold on qubit 0 with these values. */
function wrong(name: string, values: Record<string, ValueVersion[]>, failures: FailedTask[] = []) {
  const known = {
    versions: new Map([['0', new Map(Object.entries(values))]]),
    failures: new Map([['0', failures]]),
  };
  const judge = createJudge({ graph: indexed(graph), known, settings, now });
  const task = findTask(name);
  if (!task) throw new Error(`There is no ${name}.`);
  return notHolding(task, '0', { judge, later: laterTasks(graph.tasks).get(name) ?? new Set(), failures });
}

const hpi = {
  hpi_amplitude: [found('CreateHPIPulse', 0.02, 1)],
  hpi_length: [found('CreateHPIPulse', 32, 1)],
};

test('a task depends on the tasks of the list whose values it reads, on a coupling by way of its qubits', () => {
  const dependences = dependencesIn(graph);
  expect(dependences.get('CreateHPIPulse')).toContainEqual({ task: 'CheckRabi', role: 'own' });
  expect(dependences.get('CreateZX90')).toContainEqual({ task: 'CheckRamsey', role: 'control' });
  expect([targetOf('0-1', 'control'), targetOf('0-1', 'target'), targetOf('0-1', 'own')]).toEqual([
    '0',
    '1',
    '0-1',
  ]);
});

test('a value that a task reads is refined by the later tasks that find it, the finest first', () => {
  const names = ['CheckRabi', 'CreateHPIPulse', 'CheckRamsey', 'CheckFineFrequency', 'CreateZX90'];
  const refinements = refinementsIn(maintenanceGraph(names.flatMap((name) => findTask(name) ?? [])));
  const frequency = { tasks: ['CheckFineFrequency', 'CheckRamsey'], role: 'own' };
  expect(refinements.get('CreateHPIPulse')).toEqual([frequency]);
  // It finds the frequency itself, or nothing comes after it.
  expect(refinements.get('CheckRamsey')).toEqual([]);
  expect(refinements.get('CreateZX90')).toEqual([]);
});

test('of the tasks that refine a value, the finest one that can be checked is asked, once', () => {
  const frequency = { tasks: ['CheckFineFrequency', 'CheckRamsey'], role: 'control' } as const;
  const refinements = [frequency, frequency].map((each) => ({ ...each, tasks: [...each.tasks] }));
  const asked = (known: readonly string[]) =>
    refiningNodes(refinements, { target: '0-1', canCheck: (node) => known.includes(node) });
  expect(asked(['CheckRamsey 0', 'CheckFineFrequency 0'])).toEqual(['CheckFineFrequency 0']);
  expect(asked(['CheckRamsey 0', 'CheckFineFrequency 1'])).toEqual(['CheckRamsey 0']);
  expect(asked([])).toEqual([]);
});

test('a task holds while all that it found does', () => {
  expect(wrong('CreateHPIPulse', hpi)).toBeNull();
  const due = { ...hpi, hpi_amplitude: [found('CreateHPIPulse', 0.02, 1000)] };
  expect(wrong('CreateHPIPulse', due)).toMatchObject({
    reason: 'hpi_amplitude is due. Its window has passed.',
    retryAt: null,
  });
});

test('a task that never ran does not hold', () => {
  expect(wrong('CreateHPIPulse', {})?.reason).toBe(
    'hpi_amplitude was not found by CreateHPIPulse. Never measured.',
  );
});

test('a task whose values a later one refined holds, whatever became of the refined value', () => {
  const control = { control_amplitude: [found('CheckRabi', 0.05, 1)] };
  const refined = {
    ...control,
    qubit_frequency: [found('CheckRamsey', 5, 1000), found('CheckChevron', 5, 1100)],
  };
  expect(wrong('CheckChevron', refined)).toBeNull();
  expect(wrong('CheckRamsey', refined)?.reason).toContain('qubit_frequency is due');
});

test('a task that failed is left alone for twice as long after each failure since it last passed', () => {
  const due = {
    hpi_amplitude: [found('CreateHPIPulse', 0.02, 200)],
    hpi_length: [found('CreateHPIPulse', 32, 200)],
  };
  const failed = (hours: number) => ({ task: 'CreateHPIPulse', at: hoursAgo(hours), message: 'No fit.' });
  const again = wrong('CreateHPIPulse', due, [failed(2), failed(1), failed(3), failed(300)]);
  expect(again).toMatchObject({ retryAt: hoursAgo(1 - 4).getTime() });
});
