import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { releasedVersions } from '../../../scripts/release/changelog.ts';
import { historyProblems, recordingTests } from '../../../scripts/release/histories.ts';
import { prepareRelease } from '../../../scripts/release/release.ts';
import { countsIn } from '../../../scripts/release/run-tests.ts';
import { NODE_VERSIONS, writeTestedNodes } from '../../../scripts/release/tested-nodes.ts';

const execute = promisify(execFile);
const here = new URL('../../..', import.meta.url).pathname;

/** A made-up repository. */
let root: string;
const git = async (...args: string[]) => (await execute('git', args, { cwd: root })).stdout.trim();
const text = (name: string) => readFile(join(root, name), 'utf8');

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'calibron-release-'));
  const lock = { name: 'made-up', version: '0.9.0', packages: { '': { version: '0.9.0' }, other: {} } };
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'made-up', version: '0.9.0' }));
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock));
  await writeFile(join(root, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Runs.\n');
  await writeFile(join(root, '.gitignore'), '.tested-nodes.json\n');
  await git('init', '--quiet', '--initial-branch=main');
  await commit();
});
afterEach(() => rm(root, { recursive: true }));

/** Commits all changes, and makes the commit a tested one. */
async function commit(): Promise<void> {
  await git('add', '--all');
  const author = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  await git(...author, 'commit', '--quiet', '--message=change');
  await writeTested();
}

async function writeTested(failed = 0): Promise<void> {
  const results = NODE_VERSIONS.map((major) => ({ node: `${major}.1.0`, passed: 5, failed, skipped: 0 }));
  await writeTestedNodes(root, { commit: await git('rev-parse', 'HEAD'), results });
}

/** Records a history of each of these workflows. */
function recording(workflows: readonly string[]) {
  return async (version: string) => {
    const folder = join(root, 'test/histories', version);
    await mkdir(folder, { recursive: true });
    for (const name of workflows) {
      const events = [{ workflowExecutionStartedEventAttributes: { workflowType: { name } } }];
      await writeFile(join(folder, `${name}.json`), JSON.stringify({ events }));
    }
  };
}

const release = (version: string, record = recording(['stage', 'run'])) =>
  prepareRelease({ root, version, date: '2026-12-01', workflows: ['stage', 'run'], record });

test('a release sets the version, dates the changelog, records histories and says what to tag', async () => {
  expect(await release('1.0.0')).toEqual([
    'git add package.json package-lock.json CHANGELOG.md test/histories/1.0.0',
    "git commit -m 'Release 1.0.0'",
    "git tag -s v1.0.0 -m 'Calibron 1.0.0'",
    'git push --atomic origin main v1.0.0',
  ]);
  expect(JSON.parse(await text('package.json'))).toEqual({ name: 'made-up', version: '1.0.0' });
  expect(JSON.parse(await text('package-lock.json'))).toMatchObject({
    version: '1.0.0',
    packages: { '': { version: '1.0.0' }, other: {} },
  });
  expect(await text('CHANGELOG.md')).toBe(
    `# Changelog

## [Unreleased]

## [1.0.0] - 2026-12-01

### Added

- Runs.

### Tested

- Node.js 20.1.0 (5 tests passed), 22.1.0 (5 tests passed), 24.1.0 (5 tests passed), 26.1.0 (5 tests passed).
`,
  );
  expect((await readdir(join(root, 'test/histories/1.0.0'))).sort()).toEqual(['run.json', 'stage.json']);
  expect(await historyProblems(root, ['1.0.0'])).toEqual([]);
  await commit();
  await expect(release('1.0.0')).rejects.toThrow('1.0.0 is not later than 1.0.0');
  await expect(release('1.0.1')).rejects.toThrow('CHANGELOG.md has no entries under "Unreleased"');
});

test('a version before 1.0.0 records no histories, because its workflow commands may change', async () => {
  const never = () => Promise.reject(new Error('recorded'));
  expect(await release('1.0.0-beta.1', never)).toContain(
    'git add package.json package-lock.json CHANGELOG.md',
  );
});

test('each reason against a release is reported at once, and nothing is changed', async () => {
  await git('tag', 'v0.8.0');
  await git('switch', '--quiet', '--create=topic');
  await writeFile(join(root, 'new.txt'), '');
  await writeTested(2);
  await expect(release('0.8.0')).rejects.toMatchObject({
    problems: [
      '0.8.0 is not later than 0.9.0, the version of this tree. Give a later one.',
      'The branch is topic. Releases are made on main: git switch main.',
      'The working tree has changes. Commit or drop them (git status).',
      'The tag v0.8.0 exists already. Choose another version.',
      ...NODE_VERSIONS.map((major) => `2 tests fail on Node.js ${major}.1.0. Fix them.`),
    ],
  });
  await expect(release('v1')).rejects.toThrow('v1 is no version. Give one such as 1.2.0 or 1.3.0-beta.1.');
  expect(await git('status', '--porcelain')).toBe('?? new.txt');
});

test('a commit that was not tested is not released', async () => {
  await writeFile(join(root, 'new.txt'), '');
  await git('add', 'new.txt');
  const tested = await text('.tested-nodes.json');
  await commit();
  await writeFile(join(root, '.tested-nodes.json'), tested);
  await expect(release('1.0.0')).rejects.toThrow('Run npm run test:nodes.');
});

test('a workflow without a recorded history, or a failing test, leaves the tree as it was', async () => {
  await expect(release('1.0.0', recording(['stage']))).rejects.toThrow('No history of run was recorded.');
  await expect(release('1.0.0', () => Promise.reject(new Error('a test failed')))).rejects.toThrow();
  expect(await git('status', '--porcelain')).toBe('');
});

test('every version from 1.0.0 on keeps its recorded histories', async () => {
  const versions = releasedVersions(await readFile(join(here, 'CHANGELOG.md'), 'utf8'));
  expect(await historyProblems(here, versions)).toEqual([]);
  expect(await historyProblems(root, ['1.1.0', '0.9.0', '1.0.0-alpha.1'])).toEqual([
    'Version 1.1.0 has no recorded histories. Restore test/histories/1.1.0 from its tag.',
  ]);
});

test('the tests that record histories are found', async () => {
  expect(await recordingTests(here)).toEqual(
    expect.arrayContaining(['test/workflows/replay.test.ts', 'test/workflows/system-update.test.ts']),
  );
  expect(await recordingTests(here)).not.toContain('test/workflows/heavy-answers.test.ts');
});

test('the counts of a test run are in its last line; without it one test has failed', () => {
  expect(countsIn('replayed 3\n12 passed, 0 failed, 2 skipped\n')).toEqual({
    passed: 12,
    failed: 0,
    skipped: 2,
  });
  expect(countsIn('12 passed, 1 failed')).toEqual({ passed: 12, failed: 1, skipped: 0 });
  expect(countsIn('12 passed, 0 failed\nKilled')).toEqual({ passed: 0, failed: 1, skipped: 0 });
});
