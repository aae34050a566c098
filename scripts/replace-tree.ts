import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Milliseconds after which a file that was to be put in place belongs to nobody. */
const ABANDONED_MS = 600_000;

/**
 * Makes a folder hold the files of another one, while others read it: a file that is the same stays untouched, one that
 * is new comes before those that name it, one that differs is replaced at once, and one that the other folder does not
 * have goes in the end. Several may do it at a time.
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

/** True for the file that another is putting in place at the moment; what a killed one left is older. */
async function isBeingReplaced(path: string): Promise<boolean> {
  if (!path.endsWith('.new')) return false;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs < ABANDONED_MS;
}

/** Files below a folder, by their paths in it. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
