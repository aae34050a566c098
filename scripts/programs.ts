import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../shared/kernel/errors.ts';
import { packageRoot } from '../shared/kernel/package-root.ts';
import { compile } from './compile.ts';
import { digestOfSources, isCompiled, STAMP, stampOf } from './compiled.mjs';
import { replaceTree } from './replace-tree.ts';

const root = fileURLToPath(packageRoot);

/** The programs that serve, as they are compiled: what `npm start`, the tests and the image run is the same. */
export const programs = {
  api: join(root, 'dist', 'api', 'main.js'),
  worker: join(root, 'dist', 'workers', 'main.js'),
  instrument: join(root, 'dist', 'workers', 'demo-instrument', 'main.js'),
  updater: join(root, 'dist', 'workers', 'updater', 'main.js'),
  adopt: join(root, 'dist', 'workers', 'adopt.js'),
};

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
  const sources = digestOfSources(tree);
  if (isCompiled(tree, sources)) return false;
  const built = await mkdtemp(join(tmpdir(), 'calibron-build-'));
  try {
    await compile(tree, built);
    // Of what was compiled here: other sources, which another start compiles, may be put in its place meanwhile.
    await writeFile(join(built, STAMP), stampOf(sources, built));
    await replaceTree(built, dist);
    return true;
  } catch (thrown) {
    throw new Error(`The sources could not be compiled. ${messageOf(thrown)}`);
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}
