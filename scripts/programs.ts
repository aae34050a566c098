import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../shared/kernel/package-root.ts';
import { replaceTree } from './replace-tree.ts';

const root = fileURLToPath(packageRoot);

/** The programs that serve, as they are compiled: what `npm start`, the tests and the image run is the same. */
export const programs = {
  api: join(root, 'dist', 'api', 'main.js'),
  worker: join(root, 'dist', 'workers', 'main.js'),
  updater: join(root, 'dist', 'workers', 'updater', 'main.js'),
};

/** What the compiler reads; the lock file says which compiler it is, and the package's own which kind of modules. */
export const compiledFrom = {
  folders: ['api', 'workflows', 'activities', 'workers', 'shared'],
  files: ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'],
};

/** Beside what was compiled: the digests of its sources and of itself. */
const STAMP = '.compiled';

/**
 * Compiles them as `npm run build` does: without checking types, which takes a second. What runs already, of this start
 * or of another, never reads a file that is half written. Where sources and compiled files are those of the last time,
 * nothing is compiled.
 * @param tree the source tree
 * @returns whether something was compiled
 * @throws with what tsc said
 */
export async function compilePrograms(tree = root): Promise<boolean> {
  const dist = join(tree, 'dist');
  // Sources that change while they are compiled are compiled again the next time.
  const sources = digestOf(tree, compiledFrom.folders, compiledFrom.files);
  const stampOf = (folder: string) => `${sources} ${digestOf(folder)}`;
  const stamped = await readFile(join(dist, STAMP), 'utf8').catch(() => null);
  if (stamped !== null && stamped === stampOf(dist)) return false;
  const compiler = join(tree, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const built = await mkdtemp(join(tmpdir(), 'calibron-build-'));
  try {
    const options = ['-p', 'tsconfig.build.json', '--outDir', built];
    await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: tree });
    // Of what was compiled here: other sources, which another start compiles, may be put in its place meanwhile.
    await writeFile(join(built, STAMP), stampOf(built));
    await replaceTree(built, dist);
    return true;
  } catch (thrown) {
    const said = thrown instanceof Error && 'stdout' in thrown ? String(thrown.stdout).trim() : '';
    throw new Error(`The sources could not be compiled. ${said || String(thrown)}`);
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
