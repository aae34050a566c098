import { expect, test } from 'vitest';
import { announcedTasks } from '../../../shared/domain/backend-workers/announced-task-rules.ts';
import { createTaskListing } from '../../../shared/domain/backends/listing.ts';
import { parametersOf } from '../../../shared/domain/calibrations/rules.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { knownTasks } from '../../../shared/tasks/known-tasks.ts';
import { definitionOf, type OwnTask, readOwnTask } from '../../../shared/tasks/own-tasks.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';

const declaration = {
  type: 'qubit',
  inputs: { qubit_frequency: { unit: 'GHz' } },
  run_parameters: { gain: { value: 1.5, value_type: 'float', minimum: 0, maximum: 100 } },
  outputs: { lab_slope: { unit: 'us', minimum: 0, maximum: 100 } },
  r2_threshold: 0.5,
};

function accepted(given: unknown = declaration, name = 'LabSlope'): OwnTask {
  const read = readOwnTask(name, 'Measures.', given);
  return typeof read === 'string' ? expect.fail(read) : read;
}

test('the same content has the same hash in any order', () => {
  const { outputs, inputs, ...others } = declaration;
  expect(accepted({ outputs, ...others, inputs }).hash).toBe(accepted().hash);
  expect(accepted({ ...declaration, r2_threshold: 0.6 }).hash).not.toBe(accepted().hash);
});

test('a declared task is resolved and judged like one of the catalog', () => {
  const task = definitionOf('fridge-1', accepted());
  expect(resolveRunParameters(task, []).parameters).toEqual({
    gain: { value: 1.5, value_type: 'float', unit: '' },
  });
  expect(gate(task, { outputs: { lab_slope: { value: 12 } }, r2: 0.9 })).toBeNull();
  expect(gate(task, { outputs: { lab_slope: { value: 120 } }, r2: 0.9 })).toMatchObject({ rule: 'bounds' });
  expect(gate(task, { outputs: { lab_slope: { value: 12 } }, r2: 0.4 })).toMatchObject({ rule: 'r2' });
  expect(gate(task, { outputs: { other: { value: 12 } }, r2: 0.9 })).toMatchObject({ rule: 'outputs' });
});

test.each([
  ['a name of the catalog', 'CheckT1', declaration, 'The catalog has a task CheckT1'],
  ['an older name of the catalog', 'ChevronPattern', declaration, 'The catalog has a task ChevronPattern'],
  ['a name with blanks', 'My task', declaration, 'letters, digits and underscores'],
  ['no output', 'Lab', { ...declaration, outputs: {} }, 'declares no output'],
  ['a reserved name', 'Lab', { ...declaration, outputs: { constructor: {} } }, 'reserved'],
  ['an unknown unit', 'Lab', { ...declaration, outputs: { a: { unit: 'parsec' } } }, 'not a unit'],
  [
    'a unit other than that of the catalog',
    'Lab',
    { ...declaration, outputs: { t1: { unit: 'ms' } } },
    'in "us"',
  ],
  [
    'bounds that exclude everything',
    'Lab',
    { ...declaration, outputs: { a: { minimum: 2, maximum: 1 } } },
    'a minimum above its maximum',
  ],
  [
    'a default outside of its bounds',
    'Lab',
    { ...declaration, run_parameters: { gain: { value: 3, value_type: 'float', maximum: 2 } } },
    'it must be at most 2',
  ],
  [
    'a default of another type',
    'Lab',
    { ...declaration, run_parameters: { gain: { value: 'fast', value_type: 'int' } } },
    'cannot be used',
  ],
  ['an unknown field', 'Lab', { ...declaration, scope: 'batch' }, 'wrong'],
  ['a number beyond all limits', 'Lab', { ...declaration, outputs: { a: { maximum: 1e300 } } }, 'wrong'],
  ['an end of a pair for qubits', 'Lab', { ...declaration, inputs: { a: { from: 'control' } } }, '"from"'],
  [
    'too many outputs',
    'Lab',
    { ...declaration, outputs: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, {}])) },
    'at most 50',
  ],
  ['too much text', 'Lab', { ...declaration, inputs: 'x'.repeat(20_000) }, 'bytes'],
])('a declaration with %s is refused with a message', (_what, name, given, message) => {
  expect(readOwnTask(name, '', given)).toContain(message);
});

test('a wrong declaration is refused without affecting others, and shown with the reason', () => {
  const task = { description: '', run_parameters: {} };
  const { tasks, own } = announcedTasks([
    { ...task, name: 'LabSlope', declaration },
    { ...task, name: 'CheckT1', declaration },
    { ...task, name: 'CheckT2Echo' },
    { ...task, name: 'Forgotten' },
    { ...task, name: 'LabSlope', declaration },
  ]);
  expect(own.map(({ name }) => name)).toEqual(['LabSlope']);
  expect(tasks.map(({ name, declared, problem }) => [name, declared, problem])).toEqual([
    ['LabSlope', true, null],
    ['CheckT1', true, 'The catalog has a task CheckT1; give your own task another name.'],
    ['CheckT2Echo', false, null],
    ['Forgotten', false, 'The catalog has no task Forgotten, and the worker does not declare it.'],
    ['LabSlope', true, 'The worker declares LabSlope twice.'],
  ]);
});

test('if two backends declare a task, the declaration of the measuring backend is preferred', () => {
  const first = definitionOf('fridge-1', accepted());
  const second = definitionOf('fridge-2', accepted({ ...declaration, r2_threshold: null }));
  const known = knownTasks([first, second]);
  expect(known.find('LabSlope', 'fridge-2')).toBe(second);
  expect(known.find('LabSlope')).toBe(first);
  expect(known.find('CheckT1', 'fridge-2')?.declared).toBeUndefined();
  expect(known.names().filter((name) => name === 'LabSlope')).toHaveLength(1);
});

test("a task is listed on the backend that declares it, independent of the operator's selection of the catalog", () => {
  const listing = createTaskListing(
    {
      default_backend: 'fridge-1',
      default_view_mode: 'tasks',
      sort_order: 'type_then_name',
      backends: {
        'fridge-1': { description: '', username: 'system', projects: [], tasks: ['CheckT1'] },
        'fridge-2': { description: '', username: 'system', projects: [] },
      },
    },
    [definitionOf('fridge-1', accepted())],
  );
  const { backends, categories } = listing.config();
  expect(backends['fridge-1']?.tasks).toEqual(['CheckT1', 'LabSlope']);
  expect(backends['fridge-2']?.tasks).not.toContain('LabSlope');
  expect(categories['Lab']).toEqual(['LabSlope']);
  expect(listing.definitions('fridge-1').find(({ name }) => name === 'LabSlope')).toMatchObject({
    backend: 'fridge-1',
    output_parameters: { lab_slope: { unit: 'us' } },
  });
});

test('its values can be edited and imported within its bounds, in any unit', () => {
  const parameters = parametersOf(knownTasks([definitionOf('fridge-1', accepted())]).all);
  expect(parameters.problem('qubit', 'lab_slope', 12)).toBeNull();
  expect(parameters.problem('qubit', 'lab_slope', 120)).toBe(
    'lab_slope must be at least 0 and at most 100 us',
  );
  expect(parameters.inUnit('qubit', 'lab_slope', { value: 5000, unit: 'ns' })).toMatchObject({
    value: 5,
    unit: 'us',
  });
  expect(parametersOf(knownTasks([]).all).problem('qubit', 'lab_slope', 12)).toContain(
    'no parameter lab_slope',
  );
});
