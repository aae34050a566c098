// Plain JavaScript, because `npm start` uses it before anything can run TypeScript.
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Inputs and settings of the compiler. The lock file determines the compiler's version. */
export const compiledFrom = {
  folders: ['api', 'workflows', 'activities', 'workers', 'shared', 'scripts'],
  files: ['tsconfig.json', 'package.json', 'package-lock.json'],
};

/** File beside the compiled files, with the digests of the sources and of the compiled files. */
export const STAMP = '.compiled';

/** Digest of the sources of a tree. */
export function digestOfSources(tree) {
  return digestOf(tree, compiledFrom.folders, compiledFrom.files);
}

/** Contents of the stamp for the compiled files below `folder`. */
export function stampOf(sources, folder) {
  return `${sources} ${digestOf(folder)}`;
}

/** Whether the compiled files of a tree match the sources with this digest, with no file changed, missing or extra. */
export function isCompiled(tree, sources = digestOfSources(tree)) {
  const dist = join(tree, 'dist');
  try {
    return readFileSync(join(dist, STAMP), 'utf8') === stampOf(sources, dist);
  } catch {
    return false;
  }
}

/** Digest of names and contents of the given files and of all files below the given folders, except the stamp. */
function digestOf(tree, folders = [''], files = []) {
  const hash = createHash('sha256');
  const below = folders.flatMap((folder) =>
    readdirSync(join(tree, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== STAMP)
      .map((entry) => relative(tree, join(entry.parentPath, entry.name))),
  );
  for (const name of [...below.sort(), ...files]) {
    hash.update(`${name}\0`);
    try {
      hash.update(readFileSync(join(tree, name)));
    } catch {
      // Another start has replaced the file meanwhile, so make sure that the digest matches nothing.
      hash.update(randomUUID());
    }
  }
  return hash.digest('hex');
}
