import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
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

/**
 * Compiles them as `npm run build` does: without checking types, which takes a second. What runs already, of this start
 * or of another, never reads a file that is half written. @throws with what tsc said
 */
export async function compilePrograms(): Promise<void> {
  const compiler = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const built = await mkdtemp(join(tmpdir(), 'calibron-build-'));
  try {
    const options = ['-p', 'tsconfig.build.json', '--outDir', built];
    await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: root });
    await replaceTree(built, join(root, 'dist'));
  } catch (thrown) {
    const said = thrown instanceof Error && 'stdout' in thrown ? String(thrown.stdout).trim() : '';
    throw new Error(`The sources could not be compiled. ${said || String(thrown)}`);
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}
