import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { piece } from './pieces.ts';
import { BackupProblem } from './problem.ts';

export const FORMAT = 1;
export const MANIFEST = 'manifest.json';
/** File in a directory of backups with the parameters for deriving the key from the passphrase. */
export const KEY_FILE = 'encryption.json';
/** Ends the name of a backup that is being made or removed. */
export const UNFINISHED = '.unfinished';

/** The readable part of a backup. It is written last and names nothing that is secret. */
export const manifest = z.object({
  format: z.literal(FORMAT),
  service_version: z.string(),
  taken_at: z.string(),
  finished_at: z.string(),
  encrypted: z.boolean(),
  documents: z.number(),
  files: z.number(),
  bytes: z.number(),
  contents: piece,
});
export type Manifest = z.infer<typeof manifest>;

export const storedCollection = z.object({
  name: z.string(),
  documents: z.number(),
  /** Digest of all documents, independent of their order. */
  digest: z.string(),
  indexes: z.array(z.record(z.string(), z.unknown())),
  piece,
});
export type StoredCollection = z.infer<typeof storedCollection>;

/** What a backup consists of. */
export const contents = z.object({
  installation_id: z.string(),
  /** Between which times (ISO) the store and Temporal were copied: what changed between them may be missing in the store. */
  store_from: z.string(),
  engine_until: z.string(),
  database: z.string(),
  /** Whether all documents are of one moment. */
  one_moment: z.boolean(),
  collections: z.array(storedCollection),
  /** Temporal's database, if Temporal was the one of npm start. */
  engine: z.object({ namespace: z.string(), open_workflows: z.number(), pieces: z.array(piece) }).nullable(),
  /** The list of files, one line each. */
  files: piece,
});
export type Contents = z.infer<typeof contents>;

/** Directories whose files are backed up. */
export const rootNames = ['data', 'calib_data', 'config'] as const;
export type RootName = (typeof rootNames)[number];

/** An entry of the list of files. */
export const fileEntry = z.object({
  root: z.enum(rootNames),
  path: z.string(),
  kind: z.enum(['file', 'directory', 'link']),
  mode: z.number(),
  /** Milliseconds since 1970. */
  modified: z.number(),
  /** For a file: a text that changes with its content. */
  state: z.string().optional(),
  piece: piece.optional(),
  /** For a link: the path that it points to. */
  target: z.string().optional(),
});
export type FileEntry = z.infer<typeof fileEntry>;

/** The finished backups of a directory, oldest first. */
export async function listBackups(directory: string): Promise<{ name: string; manifest: Manifest }[]> {
  const names = await readdir(directory).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => !name.endsWith(UNFINISHED))
      .sort()
      .map(async (name) => ({ name, manifest: await readManifest(join(directory, name)) })),
  );
  return found.flatMap(({ name, manifest }) => (manifest ? [{ name, manifest }] : []));
}

/** @returns null if the directory is not a finished backup */
async function readManifest(directory: string): Promise<Manifest | null> {
  let text: string;
  try {
    text = await readFile(join(directory, MANIFEST), 'utf8');
  } catch {
    return null;
  }
  const parsed = manifest.safeParse(JSON.parse(text));
  if (!parsed.success) {
    throw new BackupProblem(
      `The backup ${directory} has a format that this release cannot read. Use the release that made it, or a later one.`,
    );
  }
  return parsed.data;
}
