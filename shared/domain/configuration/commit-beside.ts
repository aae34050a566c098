import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Git } from './git-command.ts';

/** Who makes a commit. */
export interface Author {
  username: string;
}

/** A file of a commit by its path in the repository. */
export interface CommittedFile {
  path: string;
  content: string;
}

/** What git is told of who makes a commit. */
export function authorEnvironment({ username }: Author): Record<string, string> {
  const person = { NAME: username, EMAIL: `${username}@calibron.invalid` };
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(person).map(([field, value]) => [`GIT_${role}_${field}`, value]),
    ),
  );
}

/**
 * Makes a commit of a base and some files, on no branch. Neither the working tree nor git's index is touched.
 * @param base null: the commit has no parent and holds these files only
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
    const aside = { timeout, environment: { GIT_INDEX_FILE: join(directory, 'index') } };
    await git(['read-tree', base ?? '--empty'], aside);
    for (const { path, content } of files) {
      const source = join(directory, 'content');
      await writeFile(source, content);
      const blob = (await git(['hash-object', '-w', '--no-filters', source], aside)).trim();
      await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], aside);
    }
    const tree = (await git(['write-tree'], aside)).trim();
    const parents = base === null ? [] : ['-p', base];
    const commit = await git(['commit-tree', ...parents, '-m', message, tree], {
      timeout,
      environment: authorEnvironment(author),
    });
    return commit.trim();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
