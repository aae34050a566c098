import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backendList, taskDefinitionList } from '../../shared/domain/backends/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { taskCatalog, taskNames } from '../../shared/tasks/catalog.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let viewer: Person;
let stranger: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  const owner = await api.makePerson();
  [viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson()]);
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
});
afterAll(() => api.close());

const get = (url: string, query: Record<string, string | string[]> = {}) =>
  api.as(viewer, project)(url, { query });

describe('the tasks of a project', () => {
  test('are those of the catalog, by name', async () => {
    const { tasks } = read(taskDefinitionList, await get('/tasks'));
    expect(tasks.map((task) => task.name)).toEqual(taskNames().sort());
    expect(new Set(tasks.map((task) => task.backend))).toEqual(new Set(['simulator']));
    const byName = new Map(taskCatalog.map((task) => [task.name, task]));
    for (const task of tasks) {
      const definition = byName.get(task.name);
      expect(task.description).toBe(definition?.description);
      expect(Object.keys(task.input_parameters)).toEqual(Object.keys(definition?.inputs ?? {}));
      expect(Object.keys(task.output_parameters)).toEqual(Object.keys(definition?.outputs ?? {}));
    }
  });

  test('say which values their check compares: none for one that finds no value', async () => {
    const { tasks } = read(taskDefinitionList, await get('/tasks'));
    const checked = new Map(tasks.map((task) => [task.name, task.checked_outputs]));
    expect(checked.get('CheckBellState')).toEqual([]);
    expect(checked.get('CheckBellStateTomography')).toEqual(['bell_state_fidelity']);
  });

  test('say what they read and what they find, with units', async () => {
    const { tasks } = read(taskDefinitionList, await get('/tasks', { backend: 'simulator' }));
    expect(tasks.find((task) => task.name === 'CheckRabi')).toMatchObject({
      backend: 'simulator',
      task_type: 'qubit',
      input_parameters: {
        qubit_frequency: { unit: 'GHz', value_type: 'float', value: [], description: expect.any(String) },
        control_amplitude: { unit: 'a.u.', value_type: 'float', value: ['0.0125'] },
      },
      output_parameters: { rabi_frequency: { unit: 'MHz', value_type: 'float', value: [] } },
    });
  });

  test('of an unknown backend are none', async () => {
    for (const backend of ['qubex', '', '__proto__', 'Simulator']) {
      expect(read(taskDefinitionList, await get('/tasks', { backend }))).toEqual({ tasks: [] });
    }
  });

  test('are asked of one backend at a time', async () => {
    expectProblems(await get('/tasks', { backend: ['simulator', 'other'] }), [
      ['string_type', 'query', 'backend'],
    ]);
  });
});

describe('the backends of a project', () => {
  test('are those that the operator lists', async () => {
    expect(read(backendList, await get('/backends'))).toEqual({
      backends: [{ name: 'simulator', username: 'system' }],
    });
  });
});

test.each(['/tasks', '/backends'])('%s is for members of the project', async (url) => {
  expectError(await api.call(url), 401, 'not_authenticated');
  expectError(await api.as(stranger, project)(url), 403, 'forbidden');
  expectError(await api.as(viewer, 'unknown')(url), 404, 'not_found');
  expectError(await api.as(stranger)(url), 400, 'project_required');
});
