import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pullAnswer, pushAnswer, repositoryStatus } from '../../shared/domain/configuration/model.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let directory: string;
/** Copies of the two below as each test finds them: to make them anew takes seven processes of git. */
let prepared: string;
/** The bare repository that everybody pulls from, and the working copy of somebody else. */
let bare: string;
let colleague: string;
let api: Api;
let person: Person;
let config: string;

const author = ['-c', 'user.name=colleague', '-c', 'user.email=colleague@example.org'];
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...author, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();

async function commitAsColleague(files: Record<string, string>, message: string): Promise<void> {
  git(colleague, 'pull', '--quiet', '--ff-only');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(colleague, path, '..'), { recursive: true });
    await writeFile(join(colleague, path), content);
  }
  git(colleague, 'add', '--all');
  git(colleague, 'commit', '--quiet', '-m', message);
  git(colleague, 'push', '--quiet');
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-repository-'));
  bare = join(directory, 'bare.git');
  colleague = join(directory, 'colleague');
  api = await startApi({ configuration: 'empty', environment: { CONFIG_REPO_URL: `file://${bare}` } });
  person = await api.makePerson({ username: 'ada' });
  config = api.settings.CONFIG_PATH;
  git(directory, 'init', '--quiet', '--bare', '--initial-branch=lab', bare);
  git(directory, 'clone', '--quiet', bare, colleague);
  git(colleague, 'checkout', '--quiet', '-b', 'lab');
  await writeFile(join(colleague, 'wiring.yaml'), 'mux: 0\n');
  await writeFile(join(colleague, '.gitignore'), '*.log\n');
  git(colleague, 'add', '--all');
  git(colleague, 'commit', '--quiet', '-m', 'Wire the first chip');
  git(colleague, 'push', '--quiet', '--set-upstream', 'origin', 'lab');
  prepared = await mkdtemp(join(tmpdir(), 'calibron-prepared-'));
  execFileSync('cp', ['-a', bare, colleague, prepared]);
});
afterAll(async () => {
  await api.close();
  for (const path of [directory, prepared]) await rm(path, { recursive: true });
});

beforeEach(() => {
  execFileSync('cp', ['-a', join(prepared, 'bare.git'), join(prepared, 'colleague'), directory]);
});
afterEach(async () => {
  for (const path of [config, bare, colleague]) await rm(path, { recursive: true, force: true });
});

const post = (what: 'pull' | 'push', body?: unknown) =>
  api.as(person)(`/files/git/${what}`, { method: 'POST', body });
const pull = async () => read(pullAnswer, await post('pull'));
const push = async (body?: unknown) => read(pushAnswer, await post('push', body));
const status = async () => read(repositoryStatus, await api.call('/files/git/status'));
const put = (path: string, content: string) =>
  api.as(person)('/files/content', { method: 'PUT', body: { path, content } });
const headOf = (where: string) => git(where, 'rev-parse', 'lab');

describe('a pull', () => {
  test('clones into an empty directory, and later takes over new commits', async () => {
    expect(await status()).toEqual({ is_git_repo: false, message: expect.any(String) });
    expect(await pull()).toEqual({
      success: true,
      commit: headOf(bare).slice(0, 8),
      commit_message: 'Wire the first chip',
      message: expect.any(String),
    });
    await commitAsColleague({ 'chip/params/t1.yaml': 'data: {}\n' }, 'Add T1');
    expect((await pull()).commit_message).toBe('Add T1');
    expect(await readFile(join(config, 'chip/params/t1.yaml'), 'utf8')).toBe('data: {}\n');
    expect((await pull()).commit).toBe(headOf(bare).slice(0, 8));
  });

  test('keeps local edits beside new commits', async () => {
    await pull();
    await put('mine.yaml', 'a: 1\n');
    await commitAsColleague({ 'other.yaml': 'b: 1\n' }, 'Other');
    await pull();
    expect(await readFile(join(config, 'mine.yaml'), 'utf8')).toBe('a: 1\n');
    expect(await status()).toMatchObject({ is_dirty: true, untracked_files: ['mine.yaml'] });
  });

  test('names no file of a project in the status but to its members', async () => {
    await pull();
    const owner = await api.makePerson();
    const project = await api.makeProject(owner);
    const path = `${project}/CHIP/params/t1.yaml`;
    await mkdir(join(config, path, '..'), { recursive: true });
    await writeFile(join(config, path), 'data: {}');
    const seen = async (call: Api['call']) => (await call('/files/git/status')).text.includes(project);
    expect(await seen(api.as(owner))).toBe(true);
    expect(await seen(api.as(await api.makePerson()))).toBe(false);
    expect(await seen(api.call)).toBe(false);
    await rm(join(config, project), { recursive: true });
  });

  test('refuses where a local edit or a new file would be lost, and names the file', async () => {
    await pull();
    const before = headOf(config);
    await put('wiring.yaml', 'mux: 7\n');
    await put('new.yaml', 'mine: 1\n');
    await commitAsColleague({ 'wiring.yaml': 'mux: 1\n', 'new.yaml': 'theirs: 1\n' }, 'Rewire');
    const message = expectError(await post('pull'), 409, 'conflict');
    expect(message).toContain('new.yaml, wiring.yaml');
    expect(await readFile(join(config, 'wiring.yaml'), 'utf8')).toBe('mux: 7\n');
    expect(await readFile(join(config, 'new.yaml'), 'utf8')).toBe('mine: 1\n');
    expect(headOf(config)).toBe(before);
  });

  test.each(['before', 'after'])('goes on from a push that was cut off %s it tidied up', async (moment) => {
    await pull();
    await put('wiring.yaml', 'mux: 5\n');
    await put('chip [1]/new.yaml', 'a: 1\n');
    git(config, 'add', '--all');
    const commit = git(config, 'commit-tree', '-p', 'HEAD', '-m', 'Cut off', git(config, 'write-tree'));
    git(config, 'push', '--quiet', 'origin', `${commit}:refs/heads/lab`);
    if (moment === 'after') git(config, 'reset', '--quiet');
    expectError(await post('push'), 409, 'conflict');
    expect((await pull()).commit).toBe(commit.slice(0, 8));
    expect(await status()).toMatchObject({ is_dirty: false, has_remote_updates: false });
    await put('wiring.yaml', 'mux: 6\n');
    expect((await push()).commit).toBe(headOf(bare).slice(0, 8));
  });

  test('names only the files that differ, and leaves all changes as they were', async () => {
    await pull();
    await put('same.yaml', 'a: 1\n');
    await put('wiring.yaml', 'mux: 7\n');
    await commitAsColleague({ 'same.yaml': 'a: 1\n', 'wiring.yaml': 'mux: 1\n' }, 'Rewire');
    const message = expectError(await post('pull'), 409, 'conflict');
    expect(message).toContain(': wiring.yaml changed here');
    expect(await status()).toMatchObject({
      changed_files: ['wiring.yaml'],
      untracked_files: ['same.yaml'],
    });
  });

  test('refuses where commits were made on both sides', async () => {
    await pull();
    await writeFile(join(config, 'local.yaml'), 'a: 1\n');
    git(config, 'add', '--all');
    git(config, 'commit', '--quiet', '-m', 'Local');
    await commitAsColleague({ 'other.yaml': 'b: 1\n' }, 'Other');
    expectError(await post('pull'), 409, 'conflict');
    expect(git(config, 'log', '-1', '--format=%s')).toBe('Local');
  });

  test('refuses to clone over files', async () => {
    await put('mine.yaml', 'a: 1\n');
    expectError(await post('pull'), 409, 'conflict');
    expect(await readFile(join(config, 'mine.yaml'), 'utf8')).toBe('a: 1\n');
  });

  test('makes no links of what a repository calls links', async () => {
    execFileSync('ln', ['-s', '/etc/passwd', join(colleague, 'passwd.yaml')]);
    await commitAsColleague({}, 'Add a link');
    await pull();
    expect(await readFile(join(config, 'passwd.yaml'), 'utf8')).toBe('/etc/passwd');
  });
});

describe('a push', () => {
  test('commits what changed in the name of the user and sends it', async () => {
    await pull();
    await put('wiring.yaml', 'mux: 5\n');
    await put('chip/größe 1.yaml', 'a: 1\n');
    await writeFile(join(config, '.env'), 'hidden');
    await writeFile(join(config, 'noise.log'), 'ignored');
    expect(await status()).toMatchObject({
      branch: 'lab',
      commit_message: 'Wire the first chip',
      is_dirty: true,
      changed_files: ['wiring.yaml'],
      untracked_files: ['chip/größe 1.yaml'],
      has_remote_updates: false,
    });
    const answer = await push({ commit_message: '--amend "it"\n\nwith a body' });
    expect(answer).toEqual({
      success: true,
      message: expect.any(String),
      commit: headOf(bare).slice(0, 8),
      commit_message: '--amend "it"',
      branch: 'lab',
      pr_url: null,
      pr_number: null,
    });
    expect(git(bare, 'log', '-1', '--format=%an %ae %cn', 'lab')).toBe('ada ada@calibron.invalid ada');
    expect(
      git(bare, '-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', 'lab').split('\n'),
    ).toEqual(['.gitignore', 'chip/größe 1.yaml', 'wiring.yaml']);
    expect(await status()).toMatchObject({ is_dirty: false, commit: answer.commit });
  });

  test('sends deletions too', async () => {
    await pull();
    await rm(join(config, 'wiring.yaml'));
    expect((await push()).commit_message).toBe('Update the configuration');
    expect(git(bare, 'ls-tree', '-r', '--name-only', 'lab')).toBe('.gitignore');
  });

  test('says so when there is nothing to push', async () => {
    await pull();
    expect(await push({})).toMatchObject({ success: true, commit: null });
  });

  test('refuses where the remote has newer commits, and loses nothing', async () => {
    await pull();
    await put('wiring.yaml', 'mux: 5\n');
    await commitAsColleague({ 'other.yaml': 'b: 1\n' }, 'Other');
    const theirs = headOf(bare);
    expectError(await post('push'), 409, 'conflict');
    expect(headOf(bare)).toBe(theirs);
    expect(await status()).toMatchObject({ changed_files: ['wiring.yaml'], has_remote_updates: true });
    await pull();
    await push();
    expect(git(bare, 'show', 'lab:wiring.yaml')).toBe('mux: 5');
    expect(git(bare, 'show', 'lab:other.yaml')).toBe('b: 1');
  });

  test('that the remote refuses leaves the changes as they were', async () => {
    await pull();
    const before = headOf(config);
    await put('wiring.yaml', 'mux: 5\n');
    await writeFile(join(bare, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n');
    await chmod(join(bare, 'hooks', 'pre-receive'), 0o755);
    expectError(await post('push'), 409, 'conflict');
    expect(headOf(config)).toBe(before);
    expect(await status()).toMatchObject({ changed_files: ['wiring.yaml'], is_dirty: true });
    await rm(join(bare, 'hooks', 'pre-receive'));
    expect((await push()).commit).toBe(headOf(bare).slice(0, 8));
  });

  test('runs nothing that is in the repository', async () => {
    await pull();
    for (const hook of ['pre-commit', 'pre-push', 'post-merge', 'reference-transaction']) {
      await writeFile(
        join(config, '.git', 'hooks', hook),
        `#!/bin/sh\ntouch ${join(directory, hook)}\nexit 1\n`,
      );
      await chmod(join(config, '.git', 'hooks', hook), 0o755);
    }
    await put('wiring.yaml', 'mux: 5\n');
    await push();
    await commitAsColleague({ 'other.yaml': 'b: 1\n' }, 'Other');
    await pull();
    expect((await readdir(directory)).sort()).toEqual(['bare.git', 'colleague']);
  });

  test('has a message of 1 to 2000 characters', async () => {
    for (const [message, type] of [
      ['', 'string_too_short'],
      ['x'.repeat(2001), 'string_too_long'],
    ] as const) {
      expectProblems(await post('push', { commit_message: message }), [[type, 'body', 'commit_message']]);
    }
  });

  test('of many people at once comes out as one history', async () => {
    await pull();
    const answers = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        await put(`file${index}.yaml`, `a: ${index}\n`);
        return push();
      }),
    );
    expect(answers.every(({ success }) => success)).toBe(true);
    expect(git(bare, 'ls-tree', '-r', '--name-only', 'lab').split('\n').length).toBe(6);
    expect(await status()).toMatchObject({ is_dirty: false });
  });
});

test('many who ask for the status at once share one answer, and a change makes a new one', async () => {
  await pull();
  const programs = join(directory, 'programs');
  const calls = join(directory, 'calls');
  const program = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  await mkdir(programs);
  await writeFile(join(programs, 'git'), `#!/bin/sh\necho >>"${calls}"\nexec "${program}" "$@"\n`, {
    mode: 0o755,
  });
  const count = async () => (await readFile(calls, 'utf8')).length;
  const path = process.env.PATH;
  process.env.PATH = `${programs}:${path}`;
  try {
    await status();
    const ofOne = await count();
    await put('mine.yaml', 'a: 1\n');
    const answers = await Promise.all(Array.from({ length: 20 }, status));
    for (const answer of answers) expect(answer).toMatchObject({ untracked_files: ['mine.yaml'] });
    expect(await count()).toBeLessThanOrEqual(2 * ofOne);
  } finally {
    process.env.PATH = path;
  }
});

test('pull and push are for those who are signed in', async () => {
  for (const url of ['/files/git/pull', '/files/git/push']) {
    expectError(await api.call(url, { method: 'POST' }), 401, 'not_authenticated');
  }
});

test('a push before the first pull, and a checkout without a branch, are refused with what to do', async () => {
  expectError(await post('push'), 409, 'conflict');
  await pull();
  git(config, 'checkout', '--quiet', '--detach');
  expect(await status()).toMatchObject({ is_git_repo: true, branch: null, has_remote_updates: false });
  for (const what of ['pull', 'push'] as const) expectError(await post(what), 409, 'conflict');
});

test('a remote that is away is 503, and the status goes on', async () => {
  await pull();
  await rm(bare, { recursive: true });
  const answer = await post('pull');
  const message = expectError(answer, 503, 'repository_unavailable');
  expect(answer.headers['retry-after']).toBe('30');
  expect(message).not.toContain(bare);
  expectError(await post('push'), 503, 'repository_unavailable');
  expect(await status()).toMatchObject({ is_git_repo: true, has_remote_updates: false });
});

describe('without a remote repository', () => {
  let alone: Api;
  let user: Person;

  beforeAll(async () => {
    alone = await startApi({ configuration: 'empty' });
    user = await alone.makePerson();
  });
  afterAll(() => alone.close());

  test('pull and push are 409', async () => {
    for (const what of ['pull', 'push']) {
      expectError(await alone.as(user)(`/files/git/${what}`, { method: 'POST' }), 409, 'conflict');
    }
  });

  test('a directory below a repository of something else is not one itself', async () => {
    git(alone.directory, 'init', '--quiet');
    expect(read(repositoryStatus, await alone.call('/files/git/status')).is_git_repo).toBe(false);
  });
});
