import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { domain } from '../../shared/domain/areas.ts';
import {
  backendConfig,
  taskFileBackends,
  taskFileContent,
  taskFileList,
  taskFileSettings,
  taskTreeEntry,
} from '../../shared/domain/backends/model.ts';
import { writeAnswer } from '../../shared/domain/configuration/model.ts';
import { shownCopilot } from '../../shared/domain/language-models/wire.ts';
import { metricsFileContent } from '../../shared/domain/metrics/model.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { SettingsError } from '../../shared/kernel/secret-files.ts';
import { taskCatalog, taskNames } from '../../shared/tasks/catalog.ts';
import { userNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let person: Person;
let directory: string;

beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson();
  directory = await mkdtemp(join(tmpdir(), 'calibron-backends-'));
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

const get = (url: string, query: Record<string, string | string[]> = {}) => api.as(person)(url, { query });

/** What clients may list where an operator's file has this text. */
async function listingOf(content: unknown, defaultBackend = 'simulator') {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(join(directory, 'backends.json'), text);
  const { engine, database } = api;
  const settings = { ...api.settings, CONFIG_PATH: directory, DEFAULT_BACKEND: defaultBackend };
  const log = createLog('test', 'SILENT');
  return domain.open({ db: database.db, engine, settings, log }).areas.backends.listing([]);
}

describe('task files', () => {
  test('are shown as the settings say', async () => {
    expect(read(taskFileSettings, await get('/task-files/settings'))).toEqual({
      default_backend: 'simulator',
      default_view_mode: 'tasks',
      sort_order: 'type_then_name',
    });
    expect(read(taskFileBackends, await get('/task-files/backends'))).toEqual({
      backends: [{ name: 'simulator', path: 'simulator' }],
    });
  });

  test('are grouped by backend and by category, each task in one', async () => {
    const config = read(backendConfig, await get('/task-files/backend-config'));
    expect(config.default_backend).toBe('simulator');
    expect(Object.keys(config.backends)).toEqual(['simulator']);
    expect(config.backends.simulator?.tasks).toEqual(taskNames().sort());
    expect(Object.values(config.categories).flat().sort()).toEqual(taskNames().sort());
    expect(config.categories['1Q Coarse']).toContain('CheckRabi');
    for (const tasks of Object.values(config.categories)) expect(tasks).toEqual([...tasks].sort());
  });

  test('state what each task needs', async () => {
    const { tasks } = read(taskFileList, await get('/task-files/tasks', { backend: 'simulator' }));
    expect(tasks).toHaveLength(taskCatalog.length);
    expect(tasks.find((task) => task.name === 'CheckRabi')).toEqual({
      name: 'CheckRabi',
      class_name: 'CheckRabi',
      task_type: 'qubit',
      description: expect.stringContaining('Rabi'),
      file_path: '1q_coarse/check_rabi',
      category: '1Q Coarse',
      enabled: true,
      input_parameters: expect.objectContaining({
        control_amplitude: {
          unit: 'a.u.',
          value_type: 'float',
          description: 'Amplitude of the control pulse',
          required: 'true',
          value: '0.0125',
          minimum: '0',
          maximum: '1',
        },
      }),
      run_parameters: expect.objectContaining({
        time_range: {
          unit: 'ns',
          value_type: 'range',
          description: 'Lengths of the control pulse',
          value: '[0,401,8]',
          minimum: '0',
          maximum: '1000000000',
        },
        shots: expect.objectContaining({ value: '2048', value_type: 'int' }),
      }),
    });
    const spectroscopy = tasks.find((task) => task.name === 'CheckQubitSpectroscopy');
    expect(spectroscopy?.run_parameters.band?.choices).toBe('high, low');
    // A client would offer nothing else than its choices, and any order of places may be given.
    const resonators = tasks.find((task) => task.name === 'CheckResonatorSpectroscopy');
    expect(resonators?.run_parameters.resonator_assignment_pattern).toMatchObject({ value: 'default' });
    expect(resonators?.run_parameters.resonator_assignment_pattern?.choices).toBeUndefined();
  });

  test('each have a file of their own', async () => {
    const { tasks } = read(taskFileList, await get('/task-files/tasks', { backend: 'simulator' }));
    expect(new Set(tasks.map((task) => task.file_path)).size).toBe(tasks.length);
    for (const { file_path } of tasks) expect(file_path).toMatch(/^[a-z0-9_]+\/[a-z0-9]+(_[a-z0-9]+)*$/);
    const placeOf = (name: string) => tasks.find((task) => task.name === name)?.file_path;
    expect(placeOf('CreateHPIPulse')).toMatch(/\/create_hpi_pulse$/);
    expect(placeOf('CheckT2Echo')).toMatch(/\/check_t2_echo$/);
  });

  test.each([
    [undefined, ['task_type', 'name']],
    ['type_then_name', ['task_type', 'name']],
    ['name_only', ['name']],
    ['file_path', ['file_path', 'name']],
    ['category', ['category', 'name']],
    ['whatever', ['task_type', 'name']],
  ] as const)('come in the order %s', async (sort_order, keys) => {
    const query = { backend: 'simulator', ...(sort_order && { sort_order }) };
    const { tasks } = read(taskFileList, await get('/task-files/tasks', query));
    const order = tasks.map((task) => keys.map((key) => task[key]).join('\u0000'));
    expect(order).toEqual([...order].sort());
  });

  test('of couplings say whose value each input is', async () => {
    const { tasks } = read(taskFileList, await get('/task-files/tasks', { backend: 'simulator' }));
    const inputs = tasks.find((task) => task.name === 'CreateZX90')?.input_parameters ?? {};
    expect(inputs.control_qubit_frequency?.qid_role).toBe('control');
    expect(inputs.target_readout_length).toMatchObject({ qid_role: 'target', value: '384' });
    expect(inputs.cr_amplitude?.qid_role).toBe('coupling');
    const ofQubit = tasks.find((task) => task.name === 'CheckRabi')?.input_parameters ?? {};
    expect(ofQubit.qubit_frequency).not.toHaveProperty('qid_role');
  });

  test('that are not enabled can be left out', async () => {
    const listing = await listingOf({ backends: { simulator: { tasks: ['CheckRabi', 'CheckT1'] } } });
    expect(listing.config().backends.simulator?.tasks).toEqual(['CheckRabi', 'CheckT1']);
    const all = listing.files('simulator', { enabledOnly: false });
    expect(all).toHaveLength(taskCatalog.length);
    expect(all.filter((task) => task.enabled).map((task) => task.name)).toEqual(['CheckRabi', 'CheckT1']);
    const enabled = listing.files('simulator', { enabledOnly: true });
    expect(enabled.map((task) => task.name)).toEqual(['CheckRabi', 'CheckT1']);
    const answer = await get('/task-files/tasks', { backend: 'simulator', enabled_only: 'true' });
    expect(read(taskFileList, answer).tasks).toHaveLength(taskCatalog.length);
  });

  test('of an unknown backend are 404', async () => {
    for (const backend of ['qubex', '', '..', '__proto__', 'constructor']) {
      expectError(await get('/task-files/tasks', { backend }), 404, 'not_found');
    }
  });

  test('ask for a backend and a readable question', async () => {
    expectProblems(await get('/task-files/tasks'), [['missing', 'query', 'backend']]);
    expectProblems(await get('/task-files/tasks', { backend: 'simulator', enabled_only: 'perhaps' }), [
      ['bool_parsing', 'query', 'enabled_only'],
    ]);
    expectProblems(await get('/task-files/tasks', { backend: ['simulator', 'other'] }), [
      ['string_type', 'query', 'backend'],
    ]);
  });

  test.each(['settings', 'backends', 'backend-config', 'tasks?backend=simulator'])(
    '/%s is for every active user, and for nobody else',
    async (path) => {
      expect((await get(`/task-files/${path}`)).status).toBe(200);
      expectError(await api.call(`/task-files/${path}`), 401, 'not_authenticated');
      const former = await api.makePerson();
      await api.users.updateOne({ _id: userNamed(former.id) }, { $set: { disabled: true } });
      expectError(await api.as(former)(`/task-files/${path}`), 403, 'account_disabled');
    },
  );
});

describe('an edited task file', () => {
  const path = 'simulator/1q_coarse/check_t1';
  const put = (body: object) => api.as(person)('/task-files/content', { method: 'PUT', body });

  test('is stored in the configuration and read in place of the shipped one', async () => {
    const shipped = read(taskFileContent, await get('/task-files/content', { path }));
    const content = `${shipped.content}# edited\n`;
    expect(read(writeAnswer, await put({ path, content }))).toEqual({
      message: 'The file was written.',
      path,
    });
    expect(read(taskFileContent, await get('/task-files/content', { path }))).toMatchObject({
      path,
      content,
    });
    const stored = await get('/files/content', { path: `task-files/${path}.yaml` });
    expect(read(taskFileContent, stored).content).toBe(content);
    const other = { path: 'simulator/1q_coarse/check_rabi' };
    expect(read(taskFileContent, await get('/task-files/content', other)).content).toContain('CheckRabi');
  });

  test('never leaves its folder, and has to be right YAML', async () => {
    for (const outside of ['../backends.json', '/etc/passwd', 'a/../../b.yaml', '.git/config', '']) {
      expectError(await put({ path: outside, content: 'a: 1' }), 400, 'bad_request');
    }
    expectError(await put({ path, content: 'a: [1' }), 400, 'invalid_configuration');
    const body = { path, content: 'a: 1' };
    expectError(await api.call('/task-files/content', { method: 'PUT', body }), 401, 'not_authenticated');
  });
});

describe('the file of backends', () => {
  test("lists a lab's own backend, which may have any task of the catalog", async () => {
    const listing = await listingOf(
      {
        default_view_mode: 'files',
        sort_order: 'name_only',
        backends: {
          simulator: {},
          fridge: { description: 'The lab', username: 'ada', tasks: ['CheckT1'] },
        },
      },
      'fridge',
    );
    expect(listing.settings()).toEqual({
      default_backend: 'fridge',
      default_view_mode: 'files',
      sort_order: 'name_only',
    });
    expect(listing.backends()).toEqual([
      { name: 'fridge', username: 'ada' },
      { name: 'simulator', username: 'system' },
    ]);
    expect(listing.config().backends.fridge).toEqual({ description: 'The lab', tasks: ['CheckT1'] });
    expect(listing.files('fridge', { enabledOnly: false })).toHaveLength(taskCatalog.length);
    expect(listing.definitions('fridge')).toHaveLength(taskCatalog.length);
    expect(listing.definitions()).toHaveLength(2 * taskCatalog.length);
  });

  test.each([
    ['no JSON', '{', /^config\/backends\.json cannot be read: .+\.$/],
    ['no backends', {}, /^config\/backends\.json is wrong at backends: /],
    [
      'an unknown setting',
      { backends: { simulator: { speed: 1 } } },
      /is wrong at backends\.simulator: .*speed/,
    ],
    ['a name that is none', { backends: { simulator: {}, 'a b': {} } }, /is wrong at backends\.a b: /],
    [
      'an unknown order',
      { sort_order: 'random', backends: { simulator: {} } },
      /is wrong at sort_order: .*name_only/,
    ],
    [
      'an unknown task',
      { backends: { simulator: { tasks: ['CheckRaby'] } } },
      /at backends\.simulator\.tasks: There is no task CheckRaby; did you mean CheckRabi\?$/,
    ],
    [
      'no default backend',
      { backends: { fridge: {} } },
      /^The setting DEFAULT_BACKEND names simulator, but config\/backends\.json lists fridge\.$/,
    ],
  ])('is refused at start with a message when it has %s', async (_name, content, message) => {
    const refused = await listingOf(content).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(SettingsError);
    expect(refused).toMatchObject({ problems: [expect.stringMatching(message)] });
  });

  test('names all its mistakes at once', async () => {
    const refused = listingOf({ backends: { fridge: { tasks: ['A1', 'B1'] } } });
    await expect(refused).rejects.toMatchObject({ problems: { length: 3 } });
  });
});

describe('the tree of task files', () => {
  test('has a folder a category and a file a task, whose declaration can be read', async () => {
    const folders = read(z.array(taskTreeEntry), await get('/task-files/tree', { backend: 'simulator' }));
    expect(folders.map(({ type }) => type)).toEqual(folders.map(() => 'directory'));
    const files = folders.flatMap(({ children }) => children ?? []);
    expect(files).toHaveLength(taskCatalog.length);
    expect(files).toContainEqual({
      name: 'check_rabi',
      path: 'simulator/1q_coarse/check_rabi',
      type: 'file',
      children: null,
    });
    const shown = await get('/task-files/content', { path: 'simulator/1q_coarse/check_rabi' });
    const { content, size, ...file } = read(taskFileContent, shown);
    expect(file).toMatchObject({ path: 'simulator/1q_coarse/check_rabi', name: 'check_rabi' });
    expect(size).toBe(Buffer.byteLength(content));
    expect(content).toContain('name: CheckRabi\n');
    expect(content).toContain('maximum_rabi_frequency:');
  });

  test('is 404 for what is not there', async () => {
    expectError(await get('/task-files/tree', { backend: 'none' }), 404, 'not_found');
    for (const path of ['none/1q_coarse/check_rabi', 'simulator/1q_coarse', 'simulator/../..', '']) {
      expectError(await get('/task-files/content', { path }), 404, 'not_found');
    }
    expectProblems(await get('/task-files/content'), [['missing', 'query', 'path']]);
  });
});

test('clients get their configuration in one answer, without anything secret', async () => {
  const shape = z.object({
    ui: z.object({ task_files: taskFileSettings }),
    metrics: metricsFileContent,
    copilot: shownCopilot,
  });
  const { ui, metrics, copilot } = read(shape, await get('/config/all'));
  expect(copilot).toMatchObject({
    enabled: true,
    model: null,
    analysis: {
      model: { provider: 'rules' },
      ai_review_tasks: expect.arrayContaining(['CheckQubitSpectroscopy']),
    },
  });
  expect(ui.task_files.default_backend).toBe('simulator');
  expect(metrics.qubit_metrics['x90_gate_fidelity']?.error_rate_range).toEqual({
    min: 0.001,
    max: 0.1,
    step: 0.001,
  });
});
