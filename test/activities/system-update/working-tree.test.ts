import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createWorkingTree } from '../../../activities/system-update/working-tree.ts';
import { chooseUpdate } from '../../../shared/domain/system-updates/rules.ts';
import { failureTypes } from '../../../shared/kernel/engine/failure-types.ts';
import { type Installation, makeInstallation, type Release } from '../../support/installation.ts';

let place: Installation;
/** What git complained of. */
let complaints: string[] = [];
afterEach(() => {
  place.close();
  complaints = [];
});

const GOOD: readonly Release[] = [{ version: 'v1.0.0' }, { version: 'v1.1.0' }, { version: 'v1.10.0' }];

const treeAt = (directory: string, interval = 0) =>
  createWorkingTree(directory, { interval, complain: (said) => void complaints.push(said) });

function install(releases: readonly Release[] = GOOD, interval = 0) {
  place = makeInstallation(releases);
  return treeAt(place.tree, interval);
}

test('the newest version goes by numbers, with its commit and manifest', async () => {
  const tree = install();
  const found = await tree.look();
  expect(found).toMatchObject({ branch: 'main', version: 'v1.0.0', dirty: false, remote_problem: null });
  expect(found.newer.map(({ version }) => version)).toEqual(['v1.1.0', 'v1.10.0']);
  expect(found.newer[1]?.manifest).toEqual({ automatic_update: true, migration_mode: 'compose' });
  expect(chooseUpdate(found).plan).toMatchObject({ target_version: 'v1.10.0', source_commit: found.commit });
});

test.each<{ when: string; change(place: Installation): void; reason: string }>([
  {
    when: 'a file was changed by hand',
    change: ({ tree }) => appendFileSync(join(tree, 'VERSION'), 'changed'),
    reason: 'Files of the working tree were changed by hand. Put them back first.',
  },
  {
    when: 'another branch is checked out',
    change: ({ git }) => void git('checkout', '--quiet', '-b', 'trial'),
    reason: 'The working tree is not on the branch main.',
  },
  {
    when: 'no branch is checked out',
    change: ({ git }) => void git('checkout', '--quiet', '--detach'),
    reason: 'The working tree is not on the branch main.',
  },
  {
    when: 'the commit has no version',
    change: ({ git }) => void git('commit', '--quiet', '--allow-empty', '--message', 'own'),
    reason: 'What is installed is no stable version: its commit has no version tag.',
  },
  {
    when: 'the remote does not answer',
    change: ({ git }) => void git('remote', 'set-url', 'origin', '/nowhere'),
    reason: 'The remote origin of the working tree cannot be asked for new versions.',
  },
])('nothing is installed when $when', async ({ when, change, reason }) => {
  const tree = install();
  change(place);
  expect(chooseUpdate(await tree.look())).toMatchObject({ plan: null, reason });
  expect(complaints.join()).toMatch(when.includes('remote') ? /nowhere/ : /^$/);
});

test('files that git does not know do not count as changes', async () => {
  const tree = install();
  writeFileSync(join(place.tree, 'own-notes'), '');
  expect((await tree.look()).dirty).toBe(false);
});

test('a tag that only this working tree has signs nothing off, nor does one beside main', async () => {
  const tree = install([{ version: 'v1.0.0' }]);
  place.publish({ version: 'v1.1.0-rc.1' });
  place.git('fetch', '--quiet', 'origin', 'main');
  place.git('tag', 'v9.0.0', 'FETCH_HEAD');
  place.publishBeside({ version: 'v8.0.0' });
  expect((await tree.look()).newer).toEqual([]);
});

test('the remote is asked again only after the interval, but always before an update', async () => {
  const tree = install([{ version: 'v1.0.0' }], 3_600_000);
  expect((await tree.look()).newer).toHaveLength(0);
  place.publish({ version: 'v1.1.0' });
  expect((await tree.look()).newer).toHaveLength(0);
  expect((await tree.lookAnew()).newer).toHaveLength(1);
});

test('a version that was just released is found by a look that asks for it', async () => {
  const tree = install([{ version: 'v1.0.0' }], 3_600_000);
  expect((await tree.look()).newer).toEqual([]);
  place.publish({ version: 'v1.1.0' });
  expect((await tree.look()).newer).toEqual([]);
  expect((await tree.look({ fresh: true })).newer.map(({ version }) => version)).toEqual(['v1.1.0']);
});

test('the tree goes forward and back, and an attempt that was cut off is put right', async () => {
  const tree = install();
  const { commit, newer } = await tree.look();
  const target = newer[1]?.commit ?? '';
  await tree.forward(target, false);
  expect((await tree.look()).version).toBe('v1.10.0');
  expect(place.git('describe', '--tags', '--exact-match').trim()).toBe('v1.10.0');
  // As a version that fails may leave it.
  appendFileSync(join(place.tree, 'VERSION'), 'changed');
  await tree.back(commit);
  expect(await tree.look()).toMatchObject({ commit, dirty: false });
  // As a git that was killed leaves it: some files of the new version, some of the old.
  place.git('checkout', '--quiet', target, '--', 'VERSION');
  await tree.forward(target, true);
  expect(await tree.look()).toMatchObject({ version: 'v1.10.0', dirty: false });
  await tree.forward(target, true);
});

test('a file that a version brings and that is here without being known to git is in its way', async () => {
  const tree = install();
  const { newer } = await tree.look();
  const target = newer[1]?.commit ?? '';
  expect(await tree.inTheWay(target)).toBeNull();
  place.git('fetch', '--quiet', 'origin', 'main');
  place.git('checkout', '--quiet', '-b', 'beside', target);
  mkdirSync(join(place.tree, 'config'));
  writeFileSync(join(place.tree, 'config', 'new.yaml'), '');
  place.git('add', '--all');
  place.git('commit', '--quiet', '--message', 'A new file');
  const beside = place.git('rev-parse', 'HEAD').trim();
  place.git('checkout', '--quiet', 'main');
  expect(await tree.inTheWay(beside)).toBeNull();
  writeFileSync(join(place.tree, 'config'), 'a file where a directory is to be');
  expect(await tree.inTheWay(beside)).toBe('config/new.yaml');
  rmSync(join(place.tree, 'config'));
  mkdirSync(join(place.tree, 'config'));
  writeFileSync(join(place.tree, 'config', 'new.yaml'), 'by hand');
  expect(await tree.inTheWay(beside)).toBe('config/new.yaml');
});

test('a directory that is not a working tree is reported without its path', async () => {
  install();
  const none = treeAt(join(place.tree, '..', 'state'));
  await expect(none.look()).rejects.toMatchObject({
    type: failureTypes.workingTree,
    message: 'The updater cannot read its working tree with git. An operator can check UPDATE_REPOSITORY.',
  });
});

test('with signers, only versions whose own tag one of them has signed count', async () => {
  const keys = mkdtempSync(join(tmpdir(), 'calibron-signers-'));
  const keyOf = (name: string) => {
    const path = join(keys, name);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path]);
    return path;
  };
  const [trusted, stranger] = [keyOf('trusted'), keyOf('stranger')];
  const signers = join(keys, 'allowed-signers');
  writeFileSync(signers, `release@example.org ${readFileSync(`${trusted}.pub`, 'utf8')}`);
  place = makeInstallation([
    { version: 'v1.0.0' },
    { version: 'v1.1.0', signingKey: trusted },
    { version: 'v1.2.0', signingKey: stranger },
    { version: 'v1.3.0' },
  ]);
  // A signed tag under the name of another version.
  place.publishAs('v1.1.0', 'v9.0.0');
  const tree = createWorkingTree(place.tree, { interval: 0, signers, complain: () => undefined });
  expect((await tree.look()).newer.map(({ version }) => version)).toEqual(['v1.1.0']);
  const open = await treeAt(place.tree).look();
  expect(open.newer.map(({ version }) => version)).toEqual(['v1.1.0', 'v1.2.0', 'v1.3.0', 'v9.0.0']);
  rmSync(keys, { recursive: true });
});
