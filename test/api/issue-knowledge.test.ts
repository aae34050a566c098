import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { issue } from '../../shared/domain/issues/model.ts';
import {
  type KnowledgeCase,
  knowledgeCase,
  knowledgeCaseList,
} from '../../shared/domain/knowledge-cases/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { taskKnowledge, taskKnowledgeList } from '../../shared/domain/task-knowledge/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { projectNamed, taskNamed } from '../support/ids.ts';
import { type Api, type Call, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

const png = Buffer.from('89504e470d0a1a0a00', 'hex');

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;
/** A closed issue on a T1 measurement, with two replies. */
let closed: string;

beforeAll(async () => {
  api = await startApi({ environment: { KNOWLEDGE_CASES_PER_PROJECT: '6' } });
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const folder = join(api.settings.CALIB_DATA_PATH, project, 'CHIP');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'fit.png'), png);
  const tasks = api.database.db.collection<TaskResultDocument>('task_results');
  await tasks.insertOne(
    storedTask(project, owner, {
      task_id: taskNamed('T1'),
      qid: '3',
      figure_path: [join(folder, 'fit.png'), '/etc/fig.png'],
    }),
  );
  closed = await discussed('Short T1', [
    'Is it the drive?',
    'A defect at 5.1 GHz. ![seen](/api/issues/images/b.png)',
  ]);
});

const ask = (method: NonNullable<Call['method']>, url: string, body?: unknown, person = owner) =>
  api.as(person, project)(url, { method, ...(body !== undefined && { body }) });

/** A closed issue of this title. */
async function discussed(title: string, replies: readonly string[] = []): Promise<string> {
  const url = '/task-results/T1/issues';
  const content = `${title}: see ![fit](/api/issues/images/a.png) and ![fit](/api/issues/images/a.png)`;
  const { id } = read(issue, await ask('POST', url, { title, content }), 201);
  for (const reply of replies) await ask('POST', url, { content: reply, parent_id: id });
  await ask('PATCH', `/issues/${id}/close`);
  return id;
}

const extract = async (issueId = closed) =>
  read(knowledgeCase, await ask('POST', `/issues/${issueId}/extract-knowledge`), 201);
const approve = async ({ id }: KnowledgeCase) =>
  read(knowledgeCase, await ask('PATCH', `/issue-knowledge/${id}/approve`));
const listed = async (query = '') => read(knowledgeCaseList, await ask('GET', `/issue-knowledge${query}`));
const known = async (person = owner, inProject?: string) =>
  read(taskKnowledge, await api.as(person, inProject ?? project)('/tasks/CheckT1/knowledge'));

describe('the extraction from an issue', () => {
  test('without a language model takes what the thread says, and what is known of the result', async () => {
    const draft = await extract();
    expect(draft).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      issue_id: closed,
      task_id: 'T1',
      task_name: 'CheckT1',
      status: 'draft',
      title: 'Short T1',
      date: new Date().toISOString().slice(0, 10),
      severity: 'warning',
      chip_id: 'CHIP',
      qid: '3',
      resolution_status: 'resolved',
      symptom: expect.stringMatching(/^Short T1: see/),
      human_review_decision: `${owner.username}: Is it the drive?`,
      resolution: expect.stringMatching(/^A defect at 5.1 GHz/),
      root_cause: '',
      failure_mode_labels: [],
      figure_paths: [expect.stringMatching(/fit\.png$/), '/etc/fig.png'],
      thread_image_urls: ['/api/issues/images/a.png', '/api/issues/images/b.png'],
      reviewed_by: null,
      reviewed_by_user_id: null,
      pr_url: null,
    });
    expect(read(knowledgeCase, await ask('GET', `/issue-knowledge/${draft.id}`, undefined, viewer))).toEqual(
      draft,
    );
  });

  test('from a reply is that from its issue, which keeps one draft', async () => {
    const replies = await ask('GET', `/issues/${closed}/replies`);
    const [reply] = issue.array().parse(replies.body);
    const first = await extract();
    const second = await extract(reply?.id);
    expect(second).toEqual({
      ...first,
      id: second.id,
      created_at: second.created_at,
      updated_at: second.updated_at,
    });
    expect((await listed()).items.map(({ id }) => id)).toEqual([second.id]);
  });

  test('is refused for an open issue, an unknown issue and a result that is gone', async () => {
    const of = (id: string) => ask('POST', `/issues/${id}/extract-knowledge`);
    await ask('PATCH', `/issues/${closed}/reopen`);
    expectError(await of(closed), 409, 'conflict');
    const replies = await ask('GET', `/issues/${closed}/replies`);
    const [reply] = issue.array().parse(replies.body);
    expectError(await of(reply?.id ?? ''), 409, 'conflict');
    expectError(await of('unknown'), 404, 'not_found');
    await ask('PATCH', `/issues/${closed}/close`);
    await api.database.db.collection('task_results').deleteMany({ project_id: project });
    expectError(await of(closed), 404, 'not_found');
    expect((await listed()).total).toBe(0);
  });

  test('anew replaces the draft and nothing that was reviewed', async () => {
    const first = await extract();
    const second = await extract();
    expectError(await ask('GET', `/issue-knowledge/${first.id}`), 404, 'not_found');
    await approve(second);
    const third = await extract();
    await ask('PATCH', `/issue-knowledge/${third.id}/reject`);
    const fourth = await extract();
    const kept = new Map((await listed()).items.map(({ id, status }) => [id, status]));
    expect(kept).toEqual(
      new Map([
        [fourth.id, 'draft'],
        [third.id, 'rejected'],
        [second.id, 'approved'],
      ]),
    );
  });

  test('by several at once leaves one draft, also while the one before it is approved', async () => {
    const first = await extract();
    const answers = await Promise.all([
      ask('POST', `/issues/${closed}/extract-knowledge`),
      ask('PATCH', `/issue-knowledge/${first.id}/approve`),
      ask('POST', `/issues/${closed}/extract-knowledge`),
      ask('POST', `/issues/${closed}/extract-knowledge`),
    ]);
    const approved = answers[1]?.status === 200 ? 1 : 0;
    const found = await listed();
    expect(found.items.filter(({ status }) => status === 'draft')).toHaveLength(1);
    expect(found.items.filter(({ status }) => status === 'approved')).toHaveLength(approved);
    expect(found.total).toBe(1 + approved);
  });

  test('stops at the quota of the project', async () => {
    for (let count = 0; count < 6; count += 1) await approve(await extract());
    const refused = await ask('POST', `/issues/${closed}/extract-knowledge`);
    expect(expectError(refused, 409, 'quota_exceeded')).toContain('KNOWLEDGE_CASES_PER_PROJECT');
  });
});

describe('a draft', () => {
  test('is edited within bounds; fields that are null or absent stay as they are', async () => {
    const draft = await extract();
    const change = (body: unknown) => ask('PATCH', `/issue-knowledge/${draft.id}`, body);
    const changed = read(
      knowledgeCase,
      await change({ severity: 'critical', lesson_learned: ['Wait.'], symptom: null, status: 'approved' }),
    );
    expect(changed).toEqual({
      ...draft,
      severity: 'critical',
      lesson_learned: ['Wait.'],
      updated_at: changed.updated_at,
    });
    expectProblems(
      await change({ severity: 'bad', title: '', case_type: Array.from({ length: 51 }, () => 'x') }),
      [
        ['string_too_short', 'body', 'title'],
        ['enum', 'body', 'severity'],
        ['too_long', 'body', 'case_type'],
      ],
    );
    expectError(await ask('PATCH', '/issue-knowledge/unknown', { title: 'x' }), 404, 'not_found');
  });

  test('is changed, approved and rejected once, and by editors only', async () => {
    const draft = await extract();
    for (const [method, path] of [
      ['PATCH', ''],
      ['PATCH', '/approve'],
      ['PATCH', '/reject'],
      ['DELETE', ''],
    ] as const) {
      expectError(await ask(method, `/issue-knowledge/${draft.id}${path}`, {}, viewer), 403, 'forbidden');
    }
    const approved = await approve(draft);
    expect(approved).toMatchObject({
      status: 'approved',
      reviewed_by: owner.username,
      reviewed_by_user_id: owner.id,
    });
    for (const path of ['', '/approve', '/reject']) {
      expectError(
        await ask('PATCH', `/issue-knowledge/${draft.id}${path}`, { title: 'x' }),
        400,
        'bad_request',
      );
    }
    expect(read(knowledgeCase, await ask('GET', `/issue-knowledge/${draft.id}`))).toEqual(approved);
  });
});

test('cases are listed newest first, by status and by task, in pages', async () => {
  const [first, second] = [await extract(), await extract(await discussed('Another'))];
  await approve(first);
  const idsOf = async (query: string) => (await listed(query)).items.map(({ id }) => id);
  expect(await idsOf('')).toEqual([second.id, first.id]);
  expect(await idsOf('?status=approved')).toEqual([first.id]);
  expect(await idsOf('?task_name=CheckT1&status=draft')).toEqual([second.id]);
  expect(await idsOf('?task_name=CheckRabi')).toEqual([]);
  expect(await listed('?limit=1&skip=1')).toMatchObject({
    items: [{ id: first.id }],
    total: 2,
    skip: 1,
    limit: 1,
  });
  expectProblems(await ask('GET', '/issue-knowledge?status=done'), [['enum', 'query', 'status']]);
});

describe('what is known of a task', () => {
  const countOf = async (person = owner, inProject = project) => {
    const { items } = read(taskKnowledgeList, await api.as(person, inProject)('/task-knowledge'));
    return items.find(({ name }) => name === 'CheckT1')?.case_count ?? 0;
  };
  const pageOf = async (person = owner, inProject = project) =>
    (await api.as(person, inProject)('/tasks/CheckT1/knowledge/markdown')).text;

  test('has a case at once when it is approved, and no more when it is deleted', async () => {
    const before = await countOf();
    const draft = await extract();
    await ask('PATCH', `/issue-knowledge/${draft.id}`, {
      root_cause: 'A defect.\n# Not a heading',
      lesson_learned: ['Measure\nagain.'],
    });
    expect(await countOf()).toBe(before);
    await approve(draft);
    expect(await countOf()).toBe(before + 1);
    const { cases, prompt_text } = await known();
    expect(cases.at(-1)).toMatchObject({
      title: 'Short T1',
      status: 'resolved',
      chip_id: 'CHIP',
      root_cause: 'A defect.\n# Not a heading',
      images: [
        { section: 'case', base64_data: png.toString('base64') },
        { relative_path: '/etc/fig.png', base64_data: '' },
        { relative_path: '/api/issues/images/a.png', base64_data: '' },
        { relative_path: '/api/issues/images/b.png', base64_data: '' },
      ],
    });
    expect(prompt_text).toContain('Short T1');
    const page = await pageOf();
    expect(page).toContain('## Past cases\n\n### Short T1\n\n- date: ');
    expect(page).toContain('#### Root cause\n\nA defect.\n\\# Not a heading\n\n');
    expect(page).toContain('#### Lesson learned\n\n- Measure again.\n');
    expect(page).toContain(`![Short T1](data:image/png;base64,${png.toString('base64')})`);
    await ask('DELETE', `/issue-knowledge/${draft.id}`);
    expect(await countOf()).toBe(before);
    expect((await known()).cases.map(({ title }) => title)).not.toContain('Short T1');
  });

  test("keeps a project's cases from everybody outside it, and shows them the pages", async () => {
    await approve(await extract());
    const stranger = await api.makePerson();
    const theirs = await api.makeProject(stranger);
    for (const inProject of [theirs, project, projectNamed('unknown')]) {
      expect((await known(stranger, inProject)).cases.map(({ title }) => title)).not.toContain('Short T1');
      expect(await pageOf(stranger, inProject)).not.toContain('Short T1');
      expect(await countOf(stranger, inProject)).toBe(await countOf(owner, theirs));
    }
    expect((await known(viewer)).cases.map(({ title }) => title)).toContain('Short T1');
  });
});
