import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { BUILD_STAMP, isBuiltFrom } from '../build-stamp.ts';
import { compressFiles } from '../compressed-files.ts';
import { replaceTree } from '../replace-tree.ts';
import { builtConsole, digestOfConsole } from './sources.ts';

const root = fileURLToPath(packageRoot);
const VITE = fileURLToPath(new URL('node_modules/vite/bin/vite.js', packageRoot));
const run = promisify(execFile);

/**
 * Builds the web console into console/dist, from which the API serves it. Does nothing if its sources are unchanged since the
 * last time. A running API never serves a partially written console.
 * @returns whether something was built
 * @throws with the messages of the build
 */
export async function buildConsole(tree = root): Promise<boolean> {
  const sources = await digestOfConsole(tree);
  if (await isBuiltFrom(sources, builtConsole(tree))) return false;
  const outDir = join(tmpdir(), `calibron-console-${process.pid}-${Date.now()}`);
  try {
    // In a process of its own, because the environment decides whether the result is for production.
    await run(process.execPath, [VITE, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'], {
      cwd: join(tree, 'console'),
      env: { ...process.env, NODE_ENV: 'production' },
    });
    await compressFiles(outDir);
    await writeFile(join(outDir, BUILD_STAMP), sources);
    await replaceTree(outDir, builtConsole(tree));
    return true;
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}
