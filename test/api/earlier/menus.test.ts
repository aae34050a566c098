import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ExecutionRequestDocument } from '../../../shared/domain/executions/model.ts';
import { lockWorkflowId } from '../../../shared/kernel/engine/workflow-ids.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from '../harness.ts';
import { type Laboratory, makeLaboratory } from '../laboratory.ts';

let api: Api;
let owner: Person;
let editor: Person;
let lab: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared', environment: { MENUS_PER_PROJECT: '6' } });
  owner = await api.makePerson();
  editor = await api.makePerson();
  lab = await makeLaboratory(api, owner, await api.makePerson());
  await api.addMember(lab.project, editor, 'editor');
});
afterAll(() => api.close());

const as = (person: Person) => (url: string, call?: Call) => api.as(person, lab.project)(url, call);
const ask = (url: string, call?: Call) => as(owner)(url, call);
const post = (url: string, body: unknown, person = owner) => as(person)(url, { method: 'POST', body });

const night = {
  name: 'Night',
  chip_id: 'CHIP',
  username: 'somebody else',
  description: 'Every night',
  schedule: { parallel: [{ serial: [0, '1'] }, { batch: ['4'] }] },
  tasks: ['CheckRabi', 'CheckT1'],
  tags: ['nightly'],
};
const menu = z.looseObject({
  name: z.string(),
  username: z.string(),
  task_details: z.record(z.string(), z.looseObject({}).nullable()),
});

describe('menus', () => {
  test('are saved with the details of their tasks, and are those of who saved them', async () => {
    expect((await post('/api/menu', night)).body).toEqual({ name: 'Night' });
    const saved = read(menu, await ask('/api/menu/Night'));
    expect(saved).toMatchObject({
      username: owner.username,
      schedule: { parallel: [{ serial: ['0', '1'] }, { batch: ['4'] }] },
      notify_bool: false,
      backend: '',
      tags: ['nightly'],
    });
    expect(saved.task_details['CheckT1']).toMatchObject({
      name: 'CheckT1',
      backend: null,
      task_type: 'qubit',
      input_parameters: { shots: { value: expect.any(Number) } },
      output_parameters: { t1: { unit: 'us', value: null } },
    });
    expect(read(z.object({ menus: z.array(menu) }), await ask('/api/menu')).menus).toEqual([saved]);
    expect((await as(editor)('/api/menu')).body).toEqual({ menus: [] });
    expectError(await as(editor)('/api/menu/Night'), 404, 'not_found');
  });

  test('have a name that their owner has given to no other', async () => {
    expectError(await post('/api/menu', night), 409, 'conflict');
    expectError(await post('/api/menu', { ...night, name: 'preset' }), 400, 'bad_request');
    expectProblems(await post('/api/menu', { ...night, name: '' }), [['string_too_short', 'body', 'name']]);
  });

  test('name tasks that there are', async () => {
    const refused = await post('/api/menu', { ...night, name: 'Odd', tasks: ['CheckRaby'] });
    expect(expectError(refused, 400, 'bad_request')).toContain('did you mean "CheckRabi"?');
    expect(
      expectError(await post('/api/menu', { ...night, name: 'Odd', tasks: null }), 400, 'bad_request'),
    ).toContain('it has no tasks');
  });

  test('whose parts were written as texts stay texts', async () => {
    const texts = {
      ...night,
      name: 'Texts',
      schedule: '{"serial": ["0"]}',
      tasks: 'CheckRabi, CheckT1',
      tags: '["a"]',
    };
    expect((await post('/api/menu', texts)).status).toBe(200);
    const saved = z.looseObject({ task_details: z.string() });
    const shown = read(saved, await ask('/api/menu/Texts'));
    expect(shown).toMatchObject({ schedule: texts.schedule, tasks: texts.tasks, tags: texts.tags });
    expect(Object.keys(JSON.parse(shown.task_details))).toEqual(['CheckRabi', 'CheckT1']);
    const deep = `${'{"serial":['.repeat(5000)}"0"${']}'.repeat(5000)}`;
    for (const part of [
      { schedule: '{"serial"' },
      { schedule: '{"row": []}' },
      { schedule: deep },
      { tags: '[1]' },
      { tasks: 'x'.repeat(101) },
    ]) {
      const answer = await post('/api/menu', { ...texts, name: 'Odd', ...part });
      expectProblems(answer, [['value_error', 'body', Object.keys(part)[0]]]);
    }
    expect((await ask('/api/menu/Texts', { method: 'DELETE' })).body).toEqual({ name: 'Texts' });
  });

  test('have a schedule of nodes, each of one kind', async () => {
    for (const schedule of [
      {},
      { serial: ['0'], batch: ['1'] },
      { row: ['0'] },
      { serial: [{}] },
      ['0'],
      7.5,
    ]) {
      const answer = await post('/api/menu', { ...night, name: 'Odd', schedule });
      expect([schedule, answer.status]).toEqual([schedule, 422]);
    }
  });

  test('are replaced as a whole, renamed, and deleted', async () => {
    const put = (name: string, body: unknown) => ask(`/api/menu/${name}`, { method: 'PUT', body });
    expect(
      (await put('Night', { ...night, name: 'Day', tasks: ['NotInTheCatalog'], tags: null })).body,
    ).toEqual({
      name: 'Day',
    });
    expectError(await ask('/api/menu/Night'), 404, 'not_found');
    expect((await ask('/api/menu/Day')).body).toMatchObject({ tasks: ['NotInTheCatalog'], tags: null });
    expectError(await put('Night', night), 404, 'not_found');
    await post('/api/menu', night);
    expectError(await put('Day', night), 409, 'conflict');
    expect((await put('Day', { ...night, name: 'Day' })).status).toBe(200);
    expect((await ask('/api/menu/Day')).body).toMatchObject({ tags: ['nightly'] });
    expect((await ask('/api/menu/Day', { method: 'DELETE' })).body).toEqual({ name: 'Day' });
    expectError(await ask('/api/menu/Day', { method: 'DELETE' }), 404, 'not_found');
  });

  test('are as many as a setting allows', async () => {
    for (const name of ['b', 'c', 'd', 'e', 'f']) await post('/api/menu', { ...night, name });
    expectError(await post('/api/menu', { ...night, name: 'g' }), 409, 'quota_exceeded');
  });

  test('there are three to begin with, for every user', async () => {
    const { menus } = read(z.object({ menus: z.array(menu) }), await as(editor)('/api/menu/preset'));
    expect(menus.map(({ name, username }) => [name, username])).toEqual(
      ['CheckOneQubitShort', 'OneQubitCoarse', 'OneQubitFine'].map((name) => [name, editor.username]),
    );
    expect(menus[0]).toMatchObject({ schedule: { parallel: [{ serial: ['28', '29'] }] }, tags: ['debug'] });
    expect(menus[0]?.task_details['CheckT1']).toMatchObject({ name: 'CheckT1' });
  });
});

describe('the run of a menu', () => {
  const started = z.object({ flow_run_url: z.string(), ui_url: z.string(), qdash_ui_url: z.string() });
  const request = () =>
    api.database.db
      .collection<ExecutionRequestDocument>('execution_requests')
      .findOne({ project_id: lab.project }, { sort: { created_at: -1 } });

  test('is one of the built-in flow, with the stages of the menu; it holds the project', async () => {
    const tuned = { CheckT1: { input_parameters: { shots: { value: 512 }, interval: { value: null } } } };
    const answer = read(started, await post('/api/calibration', { ...night, task_details: tuned }));
    expect(answer.flow_run_url).toContain(encodeURIComponent(lockWorkflowId(lab.project)));
    expect(answer.ui_url).toBe(answer.qdash_ui_url);
    const stored = await request();
    expect(stored?.flow).toMatchObject({ name: 'menu', function_name: 'menu' });
    expect(stored?.parameters).toMatchObject({
      chip_id: 'CHIP',
      menu_name: 'Night',
      tags: ['nightly'],
      stages: [
        {
          name: 'Night',
          tasks: [
            { name: 'CheckRabi', run_parameters: {} },
            { name: 'CheckT1', run_parameters: { shots: 512 } },
          ],
          schedule: [[['0', '1'], ['4']]],
        },
      ],
    });
    expect((await ask('/api/executions/lock_status')).body).toEqual({ lock: true });
    const [shown] = read(z.array(z.looseObject({})), await ask('/api/chip/CHIP/execution'));
    expect(shown).toMatchObject({
      name: expect.stringMatching(/^Night-\d{8}-000$/),
      tags: ['nightly'],
      note: { menu_name: 'Night' },
    });
    const busy = expectError(await post('/api/calibration', night), 409, 'project_busy');
    expect(busy).toContain(String(stored?.execution_id));
    await lab.free();
  });

  test('is refused before it starts, naming all that is wrong', async () => {
    const refusal = async (change: object) =>
      expectError(await post('/api/calibration', { ...night, ...change }), 400, 'bad_request');
    expect(await refusal({ tasks: ['CheckRaby'] })).toContain('unknown task "CheckRaby"');
    expect(await refusal({ schedule: { parallel: ['0', '99', '0'] } })).toMatch(
      /parts that go side by side share 0; the chip CHIP has no 99/,
    );
    expect(await refusal({ schedule: '0-1' })).toContain('none of its tasks measures couplings');
    expect(await refusal({ chip_id: '' })).toContain('parameters.chip_id');
    expect(await refusal({ backend: 'elsewhere' })).toContain('no backend');
    const shots = { CheckT1: { input_parameters: { shots: { value: { of: 1 } } } } };
    expect(await refusal({ task_details: shots })).toContain('shots of CheckT1');
    expectError(await post('/api/calibration', { ...night, chip_id: 'NONE' }), 404, 'not_found');
    expect((await ask('/api/executions/lock_status')).body).toEqual({ lock: false });
  });

  test('can be requested by the name of a saved menu, one of another member if the name is unique', async () => {
    const execute = (parameters: object, person = owner) =>
      post('/flows/menu/execute', { parameters }, person);
    expect((await execute({ menu_name: 'Night' }, editor)).status).toBe(200);
    expect((await request())?.parameters).toMatchObject({ menu_name: 'Night', username: editor.username });
    await lab.free();
    expectError(await execute({ menu_name: 'None' }), 404, 'not_found');
    expectError(await execute({}), 400, 'bad_request');
    expectError(await execute({ menu: { name: 'x' } }), 400, 'bad_request');
    const third = await api.makePerson();
    await api.addMember(lab.project, third, 'editor');
    await as(owner)('/api/menu/f', { method: 'DELETE' });
    await post('/api/menu', night, editor);
    expectError(await execute({ menu_name: 'Night' }, third), 409, 'conflict');
  });

  test('is run again by re-execution with the menu that it had', async () => {
    const stored = await request();
    await ask('/api/menu/Night', { method: 'DELETE' });
    const again = await post(`/executions/${stored?.execution_id}/re-execute`, { flow_name: 'menu' });
    expect(again.status).toBe(200);
    expect((await request())?.parameters).toMatchObject({
      menu_name: 'Night',
      tags: ['nightly'],
      menu: { task_details: { CheckT1: { input_parameters: {} } } },
    });
    await lab.free();
  });

  test('has a flow that can be read like any other, and whose name is taken', async () => {
    expect((await ask('/flows/menu')).body).toMatchObject({
      name: 'menu',
      code: expect.stringContaining('session.run'),
    });
    const other = { name: 'menu', code: 'export async function menu(session) {}', chip_id: 'CHIP' };
    expectError(await post('/flows', other), 400, 'bad_request');
  });
});

test('the calibration note is that of the chip that was installed last', async () => {
  expect((await ask('/api/calibration/note')).body).toMatchObject({ task_id: 'master', note: {} });
  const nobody = await api.makePerson();
  const empty = await api.makeProject(nobody);
  expectError(await api.as(nobody, empty)('/api/calibration/note'), 404, 'not_found');
});
