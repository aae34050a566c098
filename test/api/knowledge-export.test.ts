import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { domain } from '../../shared/domain/areas.ts';
import { issue } from '../../shared/domain/issues/model.ts';
import { type KnowledgeCase, knowledgeCase } from '../../shared/domain/knowledge-cases/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { taskKnowledge } from '../../shared/domain/task-knowledge/model.ts';
import { knowledgeExportWorkflowId } from '../../shared/domain/task-knowledge/workflow-model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { taskNamed, userNamed } from '../support/ids.ts';
import { type Api, type Call, expectError, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';

let directory: string;
/** The repository that the configuration is pulled from, and the working copy of somebody else. */
let bare: string;
let colleague: string;
let api: Api;
let owner: Person;
let project: ProjectId;

const author = ['-c', 'user.name=colleague', '-c', 'user.email=colleague@example.org'];
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...author, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
const branchesOf = () => git(bare, 'branch', '--format=%(refname:short) %(objectname)').split('\n').sort();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-export-'));
  bare = join(directory, 'bare.git');
  colleague = join(directory, 'colleague');
  git(directory, 'init', '--quiet', '--bare', '--initial-branch=lab', bare);
  git(directory, 'clone', '--quiet', bare, colleague);
  git(colleague, 'checkout', '--quiet', '-b', 'lab');
  await writeFile(join(colleague, 'wiring.yaml'), 'mux: 0\n');
  git(colleague, 'add', '--all');
  git(colleague, 'commit', '--quiet', '-m', 'Wire the first chip');
  git(colleague, 'push', '--quiet', '--set-upstream', 'origin', 'lab');
  api = await startApi({
    environment: { KNOWLEDGE_EXPORT: 'branch', CONFIG_REPO_URL: `file://${bare}` },
    engine: 'prepared',
    configuration: 'empty',
  });
  owner = await api.makePerson({ username: 'ada' });
  await api.areas.configuration.repository.pull();
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  project = await api.makeProject(owner);
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertOne(storedTask(project, owner, { task_id: taskNamed('T1') }));
});

const ask = (method: NonNullable<Call['method']>, url: string, body?: unknown) =>
  api.as(owner, project)(url, { method, ...(body !== undefined && { body }) });

async function draftOf(title: string, content = 'Short T1.'): Promise<KnowledgeCase> {
  const opened = await ask('POST', '/task-results/T1/issues', { title, content });
  const { id } = read(issue, opened, 201);
  await ask('PATCH', `/issues/${id}/close`);
  return read(knowledgeCase, await ask('POST', `/issues/${id}/extract-knowledge`), 201);
}

const approve = async ({ id }: KnowledgeCase) =>
  read(knowledgeCase, await ask('PATCH', `/issue-knowledge/${id}/approve`));
const write = ({ id }: KnowledgeCase) =>
  api.areas.taskKnowledge.writePage({ project_id: project, case_id: id });
const openAs = (KNOWLEDGE_EXPORT: 'folder' | 'off') =>
  domain.open({
    db: api.database.db,
    engine: api.engine,
    settings: { ...api.settings, KNOWLEDGE_EXPORT },
    log: createLog('test', 'SILENT'),
  });
const titles = async () =>
  read(taskKnowledge, await ask('GET', '/tasks/CheckT1/knowledge')).cases.map(({ title }) => title);

test('an approved case becomes a branch with its page, once; merged, it is known once', async () => {
  const before = branchesOf();
  const approved = await approve(await draftOf('A cold day'));
  const workflow = api.engine.client.workflow.getHandle(knowledgeExportWorkflowId(project, approved.id));
  expect((await workflow.describe()).type).toBe('knowledgeExport');
  await write(approved);
  const after = branchesOf();
  const [added = '', ...more] = after.filter((each) => !before.includes(each));
  expect(more).toEqual([]);
  const [branch = '', commit = ''] = added.split(' ');
  expect(branch).toMatch(new RegExp(`^knowledge/CheckT1/\\d{8}-\\d{6}-${approved.id.slice(0, 8)}$`));
  const page = `task-knowledge/td-characterization/CheckT1/cases/${approved.date}_a-cold-day_${approved.id.slice(0, 8)}.md`;
  expect(git(bare, 'show', '--format=%an: %s', '--name-only', commit).split('\n')).toEqual([
    'ada: Knowledge case: A cold day',
    '',
    page,
  ]);
  expect(git(bare, 'show', `${commit}:${page}`)).toContain('## Symptom\n\nShort T1.');
  expect(await api.areas.configuration.repository.status()).toMatchObject({ branch: 'lab', is_dirty: false });
  await write(approved);
  expect(branchesOf()).toEqual(after);
  expect(read(knowledgeCase, await ask('GET', `/issue-knowledge/${approved.id}`)).pr_url).toBeNull();

  expect((await titles()).filter((title) => title === 'A cold day')).toHaveLength(1);
  git(colleague, 'pull', '--quiet', '--no-rebase', 'origin', branch);
  git(colleague, 'push', '--quiet');
  const others = domain.open({
    db: api.database.db,
    engine: api.engine,
    settings: api.settings,
    log: createLog('test', 'SILENT'),
  });
  await others.areas.configuration.repository.pull();
  const known = await others.areas.taskKnowledge.read('CheckT1', project);
  expect(known.cases.filter(({ title }) => title === 'A cold day')).toHaveLength(1);
  expect((await others.areas.taskKnowledge.read('CheckT1')).cases.map(({ title }) => title)).toContain(
    'A cold day',
  );
  const { items } = await others.areas.taskKnowledge.list(project);
  expect(items.find(({ name }) => name === 'CheckT1')?.case_count).toBe(known.cases.length);
  await others.close();
});

test('a repository that is away fails no approval, and gets the page when it is back', async () => {
  await rename(bare, `${bare}.away`);
  const approved = await approve(await draftOf('Away'));
  await expect(write(approved)).rejects.toMatchObject({ code: 'repository_unavailable' });
  await rename(`${bare}.away`, bare);
  await write(approved);
  expect(branchesOf().join('\n')).toContain(approved.id.slice(0, 8));
});

test('a draft, a rejected and a deleted case are not exported', async () => {
  const before = branchesOf();
  const [draft, rejected, deleted] = [await draftOf('one'), await draftOf('two'), await draftOf('three')];
  await ask('PATCH', `/issue-knowledge/${rejected.id}/reject`);
  await approve(deleted);
  await ask('DELETE', `/issue-knowledge/${deleted.id}`);
  for (const each of [draft, rejected, deleted]) await write(each);
  expect(branchesOf()).toEqual(before);
  expectError(await ask('POST', `/issue-knowledge/${draft.id}/export`), 409, 'conflict');
  expectError(await ask('POST', `/issue-knowledge/${deleted.id}/export`), 404, 'not_found');
});

test('an export can be requested again', async () => {
  const approved = await approve(await draftOf('Again'));
  const workflow = api.engine.client.workflow.getHandle(knowledgeExportWorkflowId(project, approved.id));
  await workflow.terminate('given up');
  expect((await ask('POST', `/issue-knowledge/${approved.id}/export`)).status).toBe(200);
  expect((await workflow.describe()).status.name).toBe('RUNNING');
});

test('an engine that is away fails no approval', async () => {
  const draft = await draftOf('No engine');
  const without = await api.withoutEngine();
  const answer = await without.server.inject({
    method: 'PATCH',
    url: `/issue-knowledge/${draft.id}/approve`,
    headers: { authorization: `Bearer ${owner.token}`, 'x-project-id': project },
  });
  await without.close();
  expect(knowledgeCase.parse(answer.json()).status).toBe('approved');
});

test('the figures of the result and the images of the issue are saved beside the page, under names of their own', async () => {
  const png = await sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const stranger = await api.makeProject(owner);
  for (const of of [project, stranger]) {
    await mkdir(join(api.settings.CALIB_DATA_PATH, of, 'fig'), { recursive: true });
    await writeFile(join(api.settings.CALIB_DATA_PATH, of, 'fig', 'a.png'), png);
  }
  const figure = (of: string) => join(api.settings.CALIB_DATA_PATH, of, 'fig', 'a.png');
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .updateOne(
      { project_id: project, task_id: taskNamed('T1') },
      { $set: { figure_path: [figure(project), figure(stranger), '../../etc/passwd'] } },
    );
  const keep = (of: ProjectId) =>
    api.areas.images.keep({ projectId: of, user: { _id: userNamed(owner.id) } }, 'issues', png);
  const [mine, theirs] = [await keep(project), await keep(stranger)];
  const shown = [`/api/issues/images/${mine}`, `/api/issues/images/${theirs}`, 'https://example.org/b.png'];
  const text = shown.map((address) => `![seen](${address})`).join(' ');
  const approved = await approve(await draftOf('Seen', text));
  const before = branchesOf();
  await write(approved);
  const [, commit = ''] =
    branchesOf()
      .find((each) => !before.includes(each))
      ?.split(' ') ?? [];
  const stem = `${approved.date}_seen_${approved.id.slice(0, 8)}`;
  const folder = 'task-knowledge/td-characterization/CheckT1/cases';
  expect(git(bare, 'show', '--format=', '--name-only', commit).split('\n')).toEqual([
    `${folder}/${stem}.md`,
    `${folder}/figures/${stem}_1.png`,
    `${folder}/figures/${stem}_2.png`,
  ]);
  const [, figures = ''] = git(bare, 'show', `${commit}:${folder}/${stem}.md`).split('## Figures');
  expect(figures.trim().split('\n\n')).toEqual([
    `![Seen](./figures/${stem}_1.png)`,
    `![Seen](./figures/${stem}_2.png)`,
    '![Seen](https://example.org/b.png)',
  ]);
  const copied = execFileSync('git', ['cat-file', 'blob', `${commit}:${folder}/figures/${stem}_1.png`], {
    cwd: bare,
  });
  expect(copied.equals(png)).toBe(true);
});

test('a picture that people may upload is shown with the task, before the export and by the page after it', async () => {
  const large = await sharp(randomBytes(1200 * 900 * 3), { raw: { width: 1200, height: 900, channels: 3 } })
    .png()
    .toBuffer();
  expect(large.length).toBeGreaterThan(3 * 1024 * 1024);
  const fig = join(api.settings.CALIB_DATA_PATH, project, 'fig');
  await mkdir(fig, { recursive: true });
  await writeFile(join(fig, 'large.png'), large);
  await writeFile(join(fig, 'too-large.png'), Buffer.concat([large, Buffer.alloc(3 * 1024 * 1024)]));
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .updateOne(
      { project_id: project, task_id: taskNamed('T1') },
      { $set: { figure_path: [join(fig, 'large.png'), join(fig, 'too-large.png')] } },
    );
  const image = await api.areas.images.keep(
    { projectId: project, user: { _id: userNamed(owner.id) } },
    'issues',
    large,
  );
  const approved = await approve(await draftOf('Large', `![seen](/api/issues/images/${image})`));
  const picturesShown = async (knowledge: typeof api.areas.taskKnowledge) => {
    const { cases } = await knowledge.read('CheckT1', project);
    const [shown, ...more] = cases.filter(({ title }) => title === 'Large');
    expect(more).toEqual([]);
    return shown?.images.map(({ base64_data }) => base64_data) ?? [];
  };
  const before = await picturesShown(api.areas.taskKnowledge);
  expect(before.map((each) => each !== '')).toEqual([true, false, true]);
  expect(before[0] === large.toString('base64')).toBe(true);

  const folder = openAs('folder');
  await folder.areas.taskKnowledge.writePage({ project_id: project, case_id: approved.id });
  // The text of the issue names its picture too, which the page shows if the file is beside it.
  const after = (await picturesShown(folder.areas.taskKnowledge)).filter((each) => each !== '');
  expect(after.length).toBe(2);
  expect([after[0] === before[0], after[1] === before[2]]).toEqual([true, true]);
  await folder.close();
  await rm(join(api.settings.CONFIG_PATH, 'task-knowledge'), { recursive: true });
});

test('a page may be among the files of the configuration instead, or nowhere', async () => {
  const approved = await approve(await draftOf('In the folder'));
  const [folder, off] = [openAs('folder'), openAs('off')];
  const exported = { project_id: project, case_id: approved.id };
  await off.areas.taskKnowledge.writePage(exported);
  await expect(
    off.areas.taskKnowledge.exportCase(project, approved.id, userNamed('ada')),
  ).rejects.toMatchObject({
    code: 'conflict',
  });
  const page = join(
    api.settings.CONFIG_PATH,
    'task-knowledge/td-characterization/CheckT1/cases',
    `${approved.date}_in-the-folder_${approved.id.slice(0, 8)}.md`,
  );
  await expect(readFile(page)).rejects.toMatchObject({ code: 'ENOENT' });
  await folder.areas.taskKnowledge.writePage(exported);
  expect(await readFile(page, 'utf8')).toMatch(/^# In the folder\n/);
  await Promise.all([folder.close(), off.close()]);
});
