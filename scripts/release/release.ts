import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import semver from 'semver';
import { z } from 'zod';
import { ChangelogNotReady, releaseChangelog, releasedVersions } from './changelog.ts';
import { HISTORIES, historyProblems, mustReplay, recordedWorkflows } from './histories.ts';
import { readTestedNodes, testedProblems, testedText } from './tested-nodes.ts';

const BRANCH = 'main';
const CHANGELOG = 'CHANGELOG.md';
const PACKAGE = 'package.json';
const LOCK = 'package-lock.json';

const execute = promisify(execFile);

const described = z.looseObject({ version: z.string() });
const locked = z.looseObject({
  version: z.string(),
  packages: z.looseObject({ '': z.looseObject({ version: z.string() }) }),
});

/** The tree cannot be released as it is. Nothing was changed; the messages explain what to do. */
export class NotReleasable extends Error {
  override readonly name = 'NotReleasable';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

export interface ReleaseOptions {
  /** Root of the working tree. */
  root: string;
  version: string;
  /** Date of the release, as YYYY-MM-DD. */
  date: string;
  /** Names of all workflows. Each must have a recorded history. */
  workflows: readonly string[];
  /** Runs the tests that record histories under `test/histories/<version>`. @throws if one fails */
  record(version: string): Promise<void>;
}

/**
 * Prepares a release in a working tree: sets the version, dates the changelog and records histories. Commits nothing.
 * @returns the commands that commit, tag and push the release
 * @throws NotReleasable if the tree does not meet a requirement; the tree is then as before
 */
export async function prepareRelease(options: ReleaseOptions): Promise<string[]> {
  const { root, version, date, workflows, record } = options;
  const git = async (...args: string[]) => (await execute('git', args, { cwd: root })).stdout.trim();
  const commit = await git('rev-parse', 'HEAD');
  const texts = {
    [PACKAGE]: await readFile(join(root, PACKAGE), 'utf8'),
    [LOCK]: await readFile(join(root, LOCK), 'utf8'),
    [CHANGELOG]: await readFile(join(root, CHANGELOG), 'utf8'),
  };
  const tested = await readTestedNodes(root);
  const manifest = described.parse(JSON.parse(texts[PACKAGE]));
  const problems = [
    ...versionProblems(version, manifest.version, releasedVersions(texts[CHANGELOG])),
    ...(await treeProblems(git, version)),
    ...testedProblems(tested, commit),
    ...(await historyProblems(root, releasedVersions(texts[CHANGELOG]))),
  ];
  if (problems.length > 0 || tested === null) throw new NotReleasable(problems);
  const lock = locked.parse(JSON.parse(texts[LOCK]));
  const changed = {
    [CHANGELOG]: released(texts[CHANGELOG], { version, date, tested: testedText(tested) }),
    [PACKAGE]: jsonText({ ...manifest, version }),
    [LOCK]: jsonText({
      ...lock,
      version,
      packages: { ...lock.packages, '': { ...lock.packages[''], version } },
    }),
  };
  const folder = join(root, HISTORIES, version);
  try {
    await write(root, changed);
    if (mustReplay(version)) {
      await record(version);
      const recorded = await recordedWorkflows(folder);
      const missing = workflows.filter((name) => !recorded.has(name));
      if (missing.length > 0) {
        throw new NotReleasable([
          `No history of ${missing.join(', ')} was recorded. Add a test that replays one (test/support/histories.ts).`,
        ]);
      }
    }
  } catch (thrown) {
    await write(root, texts);
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
  return [
    `git add ${PACKAGE} ${LOCK} ${CHANGELOG}${mustReplay(version) ? ` ${HISTORIES}/${version}` : ''}`,
    `git commit -m 'Release ${version}'`,
    `git tag -s v${version} -m 'Calibron ${version}'`,
    `git push --atomic origin ${BRANCH} v${version}`,
  ];
}

function versionProblems(version: string, current: string, released: readonly string[]): string[] {
  if (semver.valid(version) !== version) {
    return [`${version} is no version. Give one such as 1.2.0 or 1.3.0-beta.1.`];
  }
  // The version of a tree that was never released may become its first release.
  const isFirst = version === current && released.length === 0;
  if (isFirst || semver.gt(version, current)) return [];
  return [`${version} is not later than ${current}, the version of this tree. Give a later one.`];
}

async function treeProblems(git: (...args: string[]) => Promise<string>, version: string): Promise<string[]> {
  const problems: string[] = [];
  const branch = await git('branch', '--show-current');
  if (branch !== BRANCH)
    problems.push(`The branch is ${branch || 'none'}. Releases are made on ${BRANCH}: git switch ${BRANCH}.`);
  if ((await git('status', '--porcelain')) !== '')
    problems.push('The working tree has changes. Commit or drop them (git status).');
  if ((await git('tag', '--list', `v${version}`)) !== '')
    problems.push(`The tag v${version} exists already. Choose another version.`);
  return problems;
}

function released(text: string, section: { version: string; date: string; tested: string }): string {
  try {
    return releaseChangelog(text, section);
  } catch (thrown) {
    if (thrown instanceof ChangelogNotReady) throw new NotReleasable([thrown.message]);
    throw thrown;
  }
}

async function write(root: string, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) await writeFile(join(root, name), text);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
