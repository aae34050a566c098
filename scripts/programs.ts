import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../shared/kernel/errors.ts';
import { packageRoot } from '../shared/kernel/package-root.ts';
import { compile } from './compile.ts';
import { replaceTree } from './replace-tree.ts';

const root = fileURLToPath(packageRoot);

/** The programs that serve, as they are compiled: what `npm start`, the tests and the image run is the same. */
export const programs = {
  api: join(root, 'dist', 'api', 'main.js'),
  worker: join(root, 'dist', 'workers', 'main.js'),
  updater: join(root, 'dist', 'workers', 'updater', 'main.js'),
};

/** What the compiler reads; the lock file says which compiler it is, and `scripts/compile.ts` what it is told. */
export const compiledFrom = {
  folders: ['api', 'workflows', 'activities', 'workers', 'shared'],
  files: ['tsconfig.json', 'package.json', 'package-lock.json', 'scripts/compile.ts'],
};

/** Beside what was compiled: the digests of its sources and of itself. */
const STAMP = '.compiled';

/**
 * Compiles them, which takes a second or two. What runs already, of this start or of another, never reads a file that is
 * half written. Where sources and compiled files are those of the last time, nothing is compiled.
 * @param tree the source tree
 * @returns whether something was compiled
 * @throws with what the compiler said
 */
export async function compilePrograms(tree = root): Promise<boolean> {
  const dist = join(tree, 'dist');
  // Sources that change while they are compiled are compiled again the next time.
  const sources = digestOf(tree, compiledFrom.folders, compiledFrom.files);
  const stampOf = (folder: string) => `${sources} ${digestOf(folder)}`;
  const stamped = await readFile(join(dist, STAMP), 'utf8').catch(() => null);
  if (stamped !== null && stamped === stampOf(dist)) return false;
  const built = await mkdtemp(join(tmpdir(), 'calibron-build-'));
  try {
    await compile(tree, built);
    // Of what was compiled here: other sources, which another start compiles, may be put in its place meanwhile.
    await writeFile(join(built, STAMP), stampOf(built));
    await replaceTree(built, dist);
    return true;
  } catch (thrown) {
    throw new Error(`The sources could not be compiled. ${messageOf(thrown)}`);
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

/** Digest of the names and contents of all files below these folders of a tree, but for the stamp, and of these files. */
function digestOf(tree: string, folders: readonly string[] = [''], files: readonly string[] = []): string {
  const hash = createHash('sha256');
  const below = folders.flatMap((folder) =>
    readdirSync(join(tree, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== STAMP)
      .map((entry) => join(entry.parentPath, entry.name).slice(tree.length)),
  );
  for (const name of [...below.sort(), ...files]) {
    hash.update(`${name}\0`);
    try {
      hash.update(readFileSync(join(tree, name)));
    } catch {
      // Another start has replaced it meanwhile: then the digest is of a state that does not come again.
      hash.update(randomUUID());
    }
  }
  return hash.digest('hex');
}
