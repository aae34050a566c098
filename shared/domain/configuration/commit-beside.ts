import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Git } from './git-command.ts';

/** The author of a commit. */
export interface Author {
  username: string;
}

/** A file of a commit by its path in the repository. */
export interface CommittedFile {
  path: string;
  content: string | Uint8Array;
}

/** Environment variables with the author of a commit, for git. */
export function authorEnvironment({ username }: Author): Record<string, string> {
  const person = { NAME: username, EMAIL: `${username}@calibron.invalid` };
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(person).map(([field, value]) => [`GIT_${role}_${field}`, value]),
    ),
  );
}

/** A file of a tree, and the arguments with which `git hash-object` reads it. */
interface TreeFile {
  path: string;
  source: readonly string[];
}

/** The tree of a base (null: empty) with some files added. Touches neither the working tree nor git's index. */
export async function treeBeside(
  git: Git,
  base: string | null,
  files: readonly TreeFile[],
  timeout: number,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-tree-'));
  try {
    const aside = { timeout, environment: { GIT_INDEX_FILE: join(directory, 'index') } };
    await git(['read-tree', base ?? '--empty'], aside);
    for (const { path, source } of files) {
      const blob = (await git(['hash-object', '-w', ...source], aside)).trim();
      await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], aside);
    }
    return (await git(['write-tree'], aside)).trim();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Creates a commit of a tree, on no branch. @returns its hash; the same for a repeat with the same time */
export async function commitTree(
  git: Git,
  { tree, base }: { tree: string; base: string | null },
  { message, author, at, timeout }: { message: string; author: Author; at?: Date; timeout: number },
): Promise<string> {
  const date = at && `${Math.floor(at.getTime() / 1000)} +0000`;
  const environment = {
    ...authorEnvironment(author),
    ...(date && { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }),
  };
  const parents = base === null ? [] : ['-p', base];
  return (await git(['commit-tree', ...parents, '-m', message, tree], { timeout, environment })).trim();
}

/**
 * Creates a commit of a base and some files, on no branch. Touches neither the working tree nor git's index.
 * @param base null: the commit has no parent and contains only these files
 * @returns its hash
 */
export async function commitBeside(
  git: Git,
  base: string | null,
  files: readonly CommittedFile[],
  { message, author, timeout }: { message: string; author: Author; timeout: number },
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-commit-'));
  try {
    const written = await Promise.all(
      files.map(async ({ path, content }, at) => {
        const source = join(directory, String(at));
        await writeFile(source, content);
        return { path, source: ['--no-filters', source] };
      }),
    );
    const tree = await treeBeside(git, base, written, timeout);
    return await commitTree(git, { tree, base }, { message, author, timeout });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
