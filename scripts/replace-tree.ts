import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Milliseconds after which a temporary file counts as abandoned. */
const ABANDONED_MS = 600_000;

/**
 * Replaces the files of a folder by those of another one, while other processes read it. Identical files are not touched,
 * new files are added before the files that refer to them, changed files are replaced atomically, and extra files are
 * removed at the end. Several processes may do this at the same time.
 */
export async function replaceTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const [wanted, there] = await Promise.all([filesBelow(from), filesBelow(to)]);
  const before = new Set(there);
  for (const isNew of [true, false]) {
    const files = wanted.filter((file) => before.has(file) !== isNew);
    await Promise.all(files.map((file) => replaceFile(join(from, file), join(to, file))));
  }
  const kept = new Set(wanted);
  await Promise.all(
    there.map(async (file) => {
      if (!kept.has(file) && !(await isBeingReplaced(join(to, file))))
        await rm(join(to, file), { force: true });
    }),
  );
}

async function replaceFile(source: string, target: string): Promise<void> {
  const [content, before] = await Promise.all([readFile(source), readFile(target).catch(() => null)]);
  if (before?.equals(content)) return;
  await mkdir(dirname(target), { recursive: true });
  const beside = `${target}.${process.pid}.new`;
  await copyFile(source, beside);
  await rename(beside, target);
}

/** Whether another process is currently replacing this file. Files left by a killed process are older. */
async function isBeingReplaced(path: string): Promise<boolean> {
  if (!path.endsWith('.new')) return false;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs < ABANDONED_MS;
}

/** Files below a folder, as paths relative to it. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
