import { createHmac } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileEntry, RootName } from './contents.ts';
import { type Piece, readPiece, writePiece } from './pieces.ts';
import type { Target } from './store-dump.ts';

const PERMISSIONS = 0o777;

/** A directory whose files are backed up. */
export interface Root {
  name: RootName;
  path: string;
  /** Paths relative to it that are left out. */
  without: ReadonlySet<string>;
}

/** The backup before this one, whose unchanged files are linked rather than copied. */
export interface Previous {
  directory: string;
  entries: ReadonlyMap<string, FileEntry>;
}

export function entryKey({ root, path }: Pick<FileEntry, 'root' | 'path'>): string {
  return `${root}/${path}`;
}

/**
 * Adds to `entries` what is below a root and not yet among them, or has changed since. Files that were there earlier and are gone
 * stay: what was copied between the two looks may refer to them.
 */
export async function backUpFiles(
  root: Root,
  entries: Map<string, FileEntry>,
  target: Target,
  previous: Previous | null,
): Promise<void> {
  async function walk(path: string): Promise<void> {
    const names = await readdir(join(root.path, path)).catch(noneIfGone);
    for (const name of names.sort()) {
      if (!root.without.has(join(path, name))) await add(join(path, name));
    }
  }

  async function add(path: string): Promise<void> {
    const found = await lstat(join(root.path, path), { bigint: true }).catch(nullIfGone);
    if (!found) return;
    const place = { root: root.name, path };
    const common = { ...place, mode: Number(found.mode) & PERMISSIONS, modified: Number(found.mtimeMs) };
    const key = entryKey(place);
    if (found.isDirectory()) {
      entries.set(key, { ...common, kind: 'directory' });
      await walk(path);
    } else if (found.isSymbolicLink()) {
      const to = await readlink(join(root.path, path)).catch(nullIfGone);
      if (to !== null) entries.set(key, { ...common, kind: 'link', target: to });
    } else if (found.isFile()) {
      const state = stateOf(found);
      if (entries.get(key)?.state === state) return;
      const piece = await store(place, state);
      if (piece) entries.set(key, { ...common, kind: 'file', state, piece });
    }
  }

  /** @returns null if the file is gone */
  async function store(place: Pick<FileEntry, 'root' | 'path'>, state: string): Promise<Piece | null> {
    const path = pathInBackup(place, target.key, entries.get(entryKey(place))?.piece);
    const before = previous?.entries.get(entryKey(place));
    if (previous && before?.piece && before.state === state) {
      const stored = { ...before.piece, path };
      if (await linked(join(previous.directory, before.piece.path), join(target.directory, path)))
        return stored;
    }
    try {
      const source = createReadStream(join(root.path, place.path));
      return await writePiece(target.directory, path, source, target.key);
    } catch (thrown) {
      if (isGone(thrown)) return null;
      throw thrown;
    }
  }

  await walk('');
}

/** Whether there was a file to link to. Without hard links it is copied. */
async function linked(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await link(from, to);
    return true;
  } catch (thrown) {
    if (isGone(thrown)) return false;
    await copyFile(from, to);
    return true;
  }
}

/** Where a file is within a backup. Encrypted backups do not show names. A file that has changed meanwhile is stored beside. */
function pathInBackup(
  place: Pick<FileEntry, 'root' | 'path'>,
  key: Buffer | null,
  earlier: Piece | undefined,
): string {
  if (earlier) return `${earlier.path}.later`;
  if (key === null) return join('files', place.root, place.path);
  const name = createHmac('sha256', key).update(entryKey(place)).digest('hex');
  return join('files', name.slice(0, 2), name.slice(2));
}

/** Differs if the content may differ. */
function stateOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(':');
}

/** Writes the entries of a backup below the given directories. Directories get their times last. */
export async function restoreFiles(
  entries: readonly FileEntry[],
  roots: Readonly<Record<RootName, string>>,
  { directory, key }: Target,
): Promise<void> {
  const placeOf = ({ root, path }: FileEntry) => join(roots[root], path);
  for (const root of Object.values(roots)) await mkdir(root, { recursive: true });
  for (const entry of entries) {
    const place = placeOf(entry);
    if (entry.kind === 'directory') await mkdir(place, { recursive: true });
    else if (entry.kind === 'link') await symlink(entry.target ?? '', place);
    else if (entry.piece) {
      await writeFile(place, readPiece(directory, entry.piece, key), { flag: 'wx', mode: entry.mode });
      await utimes(place, entry.modified / 1000, entry.modified / 1000);
    }
  }
  for (const entry of [...entries].reverse()) {
    if (entry.kind !== 'directory') continue;
    await chmod(placeOf(entry), entry.mode);
    await utimes(placeOf(entry), entry.modified / 1000, entry.modified / 1000);
  }
}

function isGone(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
}

function nullIfGone(thrown: unknown): null {
  if (isGone(thrown)) return null;
  throw thrown;
}

function noneIfGone(thrown: unknown): string[] {
  return nullIfGone(thrown) ?? [];
}
