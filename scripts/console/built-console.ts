import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { compressFiles } from '../compressed-files.ts';
import { replaceTree } from '../replace-tree.ts';

const root = fileURLToPath(packageRoot);
const VITE = fileURLToPath(new URL('node_modules/vite/bin/vite.js', packageRoot));
const run = promisify(execFile);
/** File beside the built ones, with the digest of their sources. */
const STAMP = '.sources';

/**
 * Builds the web console into console/dist, from which the API serves it. Does nothing if its sources are unchanged since the
 * last time. A running API never serves a partially written console.
 * @returns whether something was built
 * @throws with the messages of the build
 */
export async function buildConsole(tree = root): Promise<boolean> {
  const dist = join(tree, 'console', 'dist');
  const sources = await digestOfSources(tree);
  if ((await readFile(join(dist, STAMP), 'utf8').catch(() => '')) === sources) return false;
  const outDir = join(tmpdir(), `calibron-console-${process.pid}-${Date.now()}`);
  try {
    // In a process of its own, because the environment decides whether the result is for production.
    await run(process.execPath, [VITE, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'], {
      cwd: join(tree, 'console'),
      env: { ...process.env, NODE_ENV: 'production' },
    });
    await compressFiles(outDir);
    await writeFile(join(outDir, STAMP), sources);
    await replaceTree(outDir, dist);
    return true;
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** Digest of everything that a build reads. The lock file determines the versions of its packages. */
async function digestOfSources(tree: string): Promise<string> {
  const sources = await readdir(join(tree, 'console', 'src'), { recursive: true, withFileTypes: true });
  const files = [
    ...sources.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name)),
    ...['console/index.html', 'console/vite.config.ts', 'packages/client/client.ts', 'package-lock.json'].map(
      (name) => join(tree, name),
    ),
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${relative(tree, file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}
