import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataConverter } from '../shared/kernel/engine/temporal.ts';
import { replaceFile } from '../shared/kernel/files/atomic-write.ts';
import { compiledModule, packageRoot } from '../shared/kernel/package-root.ts';

const root = fileURLToPath(packageRoot);
/** Folders whose code may be part of the bundle. */
const bundledFolders = ['workflows', 'activities', 'shared'];

/** What is bundled. */
export interface Bundling {
  workflowsPath: string;
  payloadConverterPath?: string;
}

/** Directory of the bundles that `npm run build` creates for the image. */
export const builtBundles = join(root, 'dist', 'bundles');

export interface BundleOptions {
  /** Build the bundle for versioned workers. */
  versioned?: boolean;
  /** Build the bundle of the updater instead, which is not versioned. */
  updater?: boolean;
  /** Directory that may contain prebuilt bundles. */
  built?: string;
}

/**
 * The workflow bundle of this source tree. Uses the image's bundle if there is one. Otherwise it is built once (about a
 * second) and cached in `directory` under a hash of all possible input.
 * @returns path of the bundle
 */
export async function workflowBundle(directory: string, options: BundleOptions = {}): Promise<string> {
  const { versioned = false, updater = false, built = builtBundles } = options;
  const entry = updater ? 'updater' : versioned ? 'versioned' : 'index';
  const name = `${entry === 'index' ? 'workflows' : entry}-${sourceHash()}.js`;
  const found = [built, directory].map((each) => join(each, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  await mkdir(directory, { recursive: true });
  const code = await bundleApart({
    workflowsPath: join(root, 'workflows', `${entry}.ts`),
    ...dataConverter,
  });
  const path = join(directory, name);
  await replaceFile(path, code);
  return path;
}

function bundleApart(bundling: Bundling): Promise<string> {
  const child = fork(fileURLToPath(compiledModule('workers/bundling.ts')), { execArgv: [] });
  child.send(bundling);
  return new Promise((resolve, reject) => {
    child.once('message', (code: string) => resolve(code));
    child.once('error', reject);
    // Unlike the exit event, this one always comes after all messages of the child.
    child.once('disconnect', () => reject(new Error('The workflow code could not be bundled.')));
  });
}

/** Reads files synchronously: asynchronous reads took 0.2 s of processor time at every start, ten times as much. */
function sourceHash(): string {
  const hash = createHash('sha256');
  hash.update(String(createRequire(import.meta.url)('@temporalio/workflow/package.json').version));
  for (const folder of bundledFolders) {
    const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    const sources = files
      .filter((file) => file.isFile() && /\.(ts|cjs)$/.test(file.name))
      .map((file) => join(file.parentPath, file.name))
      .sort();
    for (const source of sources) hash.update(source.slice(root.length)).update(readFileSync(source));
  }
  return hash.digest('hex').slice(0, 16);
}
