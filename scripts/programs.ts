import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../shared/package-root.ts';

const root = fileURLToPath(packageRoot);

/** The programs that serve, as they are compiled: what `npm start`, the tests and the image run is the same. */
export const programs = {
  api: join(root, 'dist', 'api', 'main.js'),
  worker: join(root, 'dist', 'workers', 'main.js'),
};

/** Compiles them as `npm run build` does: without checking types, which takes a second. @throws with what tsc said */
export async function compilePrograms(): Promise<void> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root });
  } catch (thrown) {
    const said = thrown instanceof Error && 'stdout' in thrown ? String(thrown.stdout).trim() : '';
    throw new Error(`The sources could not be compiled. ${said || String(thrown)}`);
  }
}
