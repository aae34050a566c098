// Plain JavaScript: `npm start` asks it before there is anything that runs TypeScript.
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What the compiler reads and what tells it how; the lock file says which compiler it is. */
export const compiledFrom = {
  folders: ['api', 'workflows', 'activities', 'workers', 'shared', 'scripts'],
  files: ['tsconfig.json', 'package.json', 'package-lock.json'],
};

/** Beside what was compiled: the digests of its sources and of itself. */
export const STAMP = '.compiled';

/** Digest of what a tree is compiled from. */
export function digestOfSources(tree) {
  return digestOf(tree, compiledFrom.folders, compiledFrom.files);
}

/** What the stamp says of compiled files, which lie below `folder`. */
export function stampOf(sources, folder) {
  return `${sources} ${digestOf(folder)}`;
}

/** Whether the compiled files of a tree are those of the sources with this digest, none changed, away or too many. */
export function isCompiled(tree, sources = digestOfSources(tree)) {
  const dist = join(tree, 'dist');
  try {
    return readFileSync(join(dist, STAMP), 'utf8') === stampOf(sources, dist);
  } catch {
    return false;
  }
}

/** Digest of the names and contents of all files below these folders of a tree, but for the stamp, and of these files. */
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
      // Another start has replaced it meanwhile: then the digest is of a state that does not come again.
      hash.update(randomUUID());
    }
  }
  return hash.digest('hex');
}
