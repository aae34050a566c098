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

/** The compiled programs. `npm start`, the tests and the image all run the same files. */
export const programs = {
  api: join(root, 'dist', 'api', 'main.js'),
  worker: join(root, 'dist', 'workers', 'main.js'),
  instrument: join(root, 'dist', 'workers', 'demo-instrument', 'main.js'),
  route: join(root, 'dist', 'workers', 'backend-route', 'main.js'),
  updater: join(root, 'dist', 'workers', 'updater', 'main.js'),
  promote: join(root, 'dist', 'workers', 'promote.js'),
  adopt: join(root, 'dist', 'workers', 'adopt.js'),
};

/**
 * Compiles the programs, which takes a second or two. Running processes never see a partially written file. Does nothing
 * if sources and compiled files are unchanged since the last time.
 * @param tree the source tree
 * @returns whether something was compiled
 * @throws with the compiler's messages
 */
export async function compilePrograms(tree = root): Promise<boolean> {
  const dist = join(tree, 'dist');
  // Take the digest first, so that sources that change during compilation are compiled again next time.
  const sources = digestOfSources(tree);
  if (isCompiled(tree, sources)) return false;
  const built = await mkdtemp(join(tmpdir(), 'calibron-build-'));
  try {
    await compile(tree, built);
    // The stamp describes the files compiled here, because another start may replace `dist` with other files meanwhile.
    await writeFile(join(built, STAMP), stampOf(sources, built));
    await replaceTree(built, dist);
    return true;
  } catch (thrown) {
    throw new Error(`The sources could not be compiled. ${messageOf(thrown)}`);
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}
