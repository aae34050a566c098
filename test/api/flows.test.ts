import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { flowTemplate } from '../../shared/domain/flows/model.ts';
import {
  flowDetail,
  flowList,
  flowTemplateDetail,
  savedFlowAnswer,
} from '../../shared/domain/flows/saved-flow-model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

const code = `import type { Session } from 'calibron';

export async function my_flow(session: Session) {
  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.all() });
}
`;

let api: Api;
let editor: Person;
let viewer: Person;
let stranger: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  [editor, viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  project = await api.makeProject(editor);
  await api.addMember(project, viewer, 'viewer');
});
afterAll(() => api.close());

const save = (body: unknown, person = editor, projectId = project) =>
  api.as(person, projectId)('/flows', { method: 'POST', body });
const get = (url: string) => api.as(viewer, project)(url);
const hashOf = async (name: string) => {
  const stored = await api.database.db.collection('flows').findOne({ project_id: project, name });
  return String(stored?.hash);
};

describe('templates', () => {
  test('are listed for every signed-in user, without a project', async () => {
    const templates = read(z.array(flowTemplate), await api.as(stranger)('/flows/templates'));
    expect(templates.map((each) => each.id)).toContain('demo');
  });

  test('come with code that can be saved as it is', async () => {
    for (const { id } of read(z.array(flowTemplate), await get('/flows/templates'))) {
      const template = read(flowTemplateDetail, await get(`/flows/templates/${id}`));
      const answer = await save({
        name: `from_${id}`,
        chip_id: 'CHIP',
        code: template.code,
        flow_function_name: template.function_name,
      });
      expect(answer).toMatchObject({ status: 200 });
    }
  });

  test('are 404 when unknown, 401 without a token', async () => {
    for (const id of ['unknown', 'templates.json', '..%2Ftemplates', '%00']) {
      expectError(await get(`/flows/templates/${id}`), 404, 'not_found');
    }
    expectError(await api.call('/flows/templates'), 401, 'not_authenticated');
    expectError(await api.call('/flows/templates/demo'), 401, 'not_authenticated');
  });
});

describe('helper files', () => {
  test('are the declarations that an editor shows, for every signed-in user', async () => {
    const names = read(z.array(z.string()), await api.as(stranger)('/flows/helpers'));
    expect(names).toEqual(['calibron.d.ts', 'calibron-parameters.d.ts', 'calibron-stages.d.ts']);
    for (const name of names) {
      const text = read(z.string(), await api.as(stranger)(`/flows/helpers/${name}`));
      expect(text).toContain("declare module 'calibron'");
    }
  });

  test('are 400 for what cannot be the name of one, 404 when unknown, 401 without a token', async () => {
    for (const name of ['..%2Fbringup.ts', 'a%5Cb.ts', 'a..b.ts', 'templates.json', 'calibron.d']) {
      expectError(await get(`/flows/helpers/${name}`), 400, 'bad_request');
    }
    // Templates are no helpers.
    for (const name of ['unknown.ts', 'bringup.ts', '%00.ts']) {
      expectError(await get(`/flows/helpers/${name}`), 404, 'not_found');
    }
    expectError(await api.call('/flows/helpers'), 401, 'not_authenticated');
    expectError(await api.call('/flows/helpers/calibron.d.ts'), 401, 'not_authenticated');
  });
});

describe('declared parameters', () => {
  const declaring = code.replace(
    'export async',
    "export const parameters = { qids: { type: 'qubits', required: true } };\nexport async",
  );

  test('of a template and of a saved flow are shown', async () => {
    expect(read(flowTemplateDetail, await get('/flows/templates/two_qubit')).parameters).toMatchObject({
      qids: { type: 'qubits', description: expect.stringContaining('without them all of the chip') },
      max_parallel_ops: { type: 'integer', default: 10, minimum: 1 },
    });
    const body = { name: 'declaring', code: declaring, chip_id: 'CHIP', flow_function_name: 'my_flow' };
    read(savedFlowAnswer, await save(body));
    expect(read(flowDetail, await get('/flows/declaring')).parameters).toEqual({
      qids: { type: 'qubits', required: true, description: '' },
    });
  });

  test('that cannot be read are 400 naming the line', async () => {
    const wrong = declaring.replace('qubits', 'quibts');
    const answer = await save({ name: 'wrong', code: wrong, chip_id: 'CHIP', flow_function_name: 'my_flow' });
    expectError(answer, 400, 'invalid_flow');
    expect(answer.text).toMatch(/Line 3: parameter \\"qids\\", type: /);
  });
});

describe('saving a flow', () => {
  test('keeps everything, as a record, a version and a file', async () => {
    const answer = read(
      savedFlowAnswer,
      await save({
        name: 'my_flow',
        code,
        chip_id: 'CHIP',
        description: 'what it does',
        default_parameters: { qids: ['0', '1'], nested: { 'a.b': [1, null, { $x: true }] } },
        default_run_parameters: { shots: 1024 },
        tags: ['daily'],
      }),
    );
    expect(answer).toEqual({
      name: 'my_flow',
      file_path: join(api.directory, 'flows', project, 'my_flow.ts'),
      message: expect.any(String),
    });
    expect(await readFile(answer.file_path, 'utf8')).toBe(code);
    expect(read(flowDetail, await get('/flows/my_flow'))).toEqual({
      name: 'my_flow',
      created_by: editor.username,
      description: 'what it does',
      chip_id: 'CHIP',
      flow_function_name: 'my_flow',
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
      tags: ['daily'],
      file_exists: true,
      code,
      default_parameters: { qids: ['0', '1'], nested: { 'a.b': [1, null, { $x: true }] } },
      default_run_parameters: { shots: 1024 },
      file_path: answer.file_path,
      parameters: null,
    });
  });

  test('pins what a run executes: an older version stays readable', async () => {
    const { flows } = api.areas;
    read(
      savedFlowAnswer,
      await save({ name: 'versions', code, chip_id: 'CHIP', flow_function_name: 'my_flow' }),
    );
    const first = await hashOf('versions');
    const changed = code.replace('Rabi', 'Again');
    read(
      savedFlowAnswer,
      await save({ name: 'versions', code: changed, chip_id: 'OTHER', flow_function_name: 'my_flow' }),
    );
    const second = await hashOf('versions');
    expect(second).not.toBe(first);
    expect(await flows.version(project, 'versions', first)).toMatchObject({
      source: code,
      function_name: 'my_flow',
      author: editor.username,
      javascript: expect.not.stringContaining('import type'),
    });
    expect(await flows.version(project, 'versions', second)).toMatchObject({ source: changed });
    expect(read(flowDetail, await get('/flows/versions'))).toMatchObject({ code: changed, chip_id: 'OTHER' });
  });

  test('again keeps who made it and when, and drops what is not sent any more', async () => {
    read(
      savedFlowAnswer,
      await save({ name: 'shared_flow', code, chip_id: 'A', flow_function_name: 'my_flow', tags: ['x'] }),
    );
    const before = read(flowDetail, await get('/flows/shared_flow'));
    const colleague = await api.makePerson();
    await api.addMember(project, colleague, 'editor');
    const again = { name: 'shared_flow', code, chip_id: 'A', flow_function_name: 'my_flow' };
    read(savedFlowAnswer, await save(again, colleague));
    const after = read(flowDetail, await get('/flows/shared_flow'));
    expect(after).toMatchObject({ created_by: editor.username, created_at: before.created_at, tags: [] });
  });

  test('of one name, many times at once, keeps one of them whole', async () => {
    const sources = Array.from({ length: 8 }, (_, index) => code.replace('Rabi', `Stage ${index}`));
    const answers = await Promise.all(
      sources.map((source) =>
        save({ name: 'race', code: source, chip_id: 'A', flow_function_name: 'my_flow' }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(sources.map(() => 200));
    expect(sources).toContain(read(flowDetail, await get('/flows/race')).code);
  });

  test('is 400 for a name that is not a plain word, or is taken by the service', async () => {
    for (const name of [
      '',
      'with-dash',
      'with space',
      'a/b',
      '../up',
      'ä',
      'x'.repeat(101),
      'templates',
      'schedules',
    ]) {
      expectError(
        await save({ name, code, chip_id: 'A', flow_function_name: 'my_flow' }),
        400,
        'bad_request',
      );
    }
  });

  test('is 400 naming the line of what is wrong with the code', async () => {
    const bad = (source: string, name = 'my_flow') => save({ name, code: source, chip_id: 'A' });
    expect(expectError(await bad(`${code}\nconst x = ;`), 400, 'invalid_flow')).toMatch(/^Line 7: /);
    expect(expectError(await bad(code, 'other_name'), 400, 'invalid_flow')).toMatch(
      /^Line \d+: .*other_name/,
    );
    const misspelt = code.replace('CheckRabi', 'CheckRobi');
    expect(expectError(await bad(misspelt), 400, 'invalid_flow')).toMatch(/^Line 4: .*CheckRobi/);
    expectError(await bad(`import fs from 'node:fs';\n${code}`), 400, 'invalid_flow');
    expectError(await bad('def my_flow(): pass'), 400, 'invalid_flow');
    expectError(await get('/flows/other_name'), 404, 'not_found');
  });

  test('is 422 for missing or malformed fields, without repeating them', async () => {
    expectProblems(await save({}), [
      ['missing', 'body', 'name'],
      ['missing', 'body', 'code'],
      ['missing', 'body', 'chip_id'],
    ]);
    expectProblems(await save({ name: 'a', code: 1, chip_id: null }), [
      ['string_type', 'body', 'code'],
      ['string_type', 'body', 'chip_id'],
    ]);
    expectProblems(await save({ name: 'a', code, chip_id: 'A', default_parameters: [] }), [
      ['dict_type', 'body', 'default_parameters'],
    ]);
    expectProblems(await save({ name: 'a', code, chip_id: 'A', default_parameters: { tags: 'daily' } }), [
      ['list_type', 'body', 'default_parameters', 'tags'],
    ]);
    const large = await save({
      name: 'a',
      code,
      chip_id: 'A',
      default_parameters: { note: 'secret'.repeat(20_000) },
    });
    expectProblems(large, [['value_error', 'body', 'default_parameters']]);
    expect(large.text).not.toContain('secret');
  });

  test('needs the editor role', async () => {
    const body = { name: 'a', code, chip_id: 'A', flow_function_name: 'my_flow' };
    expectError(await save(body, viewer), 403, 'forbidden');
    expectError(await save(body, stranger), 403, 'forbidden');
    expectError(await api.call('/flows', { method: 'POST', body }), 401, 'not_authenticated');
  });
});

describe('reading flows', () => {
  test('lists them with the last changed first, and tells whether the file is there', async () => {
    const own = await api.makeProject(editor);
    const body = { code, chip_id: 'A', flow_function_name: 'my_flow' };
    const paths: string[] = [];
    for (const name of ['one', 'two', 'one']) {
      paths.push(read(savedFlowAnswer, await save({ ...body, name }, editor, own)).file_path);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await rm(paths[1] ?? '');
    const { flows } = read(flowList, await api.as(editor, own)('/flows'));
    expect(flows.map((flow) => [flow.name, flow.file_exists])).toEqual([
      ['one', true],
      ['two', false],
    ]);
    expect(read(flowDetail, await api.as(editor, own)('/flows/two')).code).toBe(code);
  });

  test('never shows those of another project', async () => {
    const theirs = await api.makeProject(stranger);
    expect(read(flowList, await api.as(stranger, theirs)('/flows'))).toEqual({ flows: [] });
    expectError(await api.as(stranger, theirs)('/flows/my_flow'), 404, 'not_found');
    expectError(await api.as(stranger, project)('/flows/my_flow'), 403, 'forbidden');
    expectError(await api.as(stranger, project)('/flows'), 403, 'forbidden');
  });

  test('is 404 for an unknown name, 401 without a token', async () => {
    for (const name of ['unknown', `x${'y'.repeat(300)}`, `..%2F${project}%2Fmy_flow`]) {
      expectError(await get(`/flows/${name}`), 404, 'not_found');
    }
    expectError(await api.call('/flows'), 401, 'not_authenticated');
    expectError(await api.call('/flows/my_flow'), 401, 'not_authenticated');
  });
});
