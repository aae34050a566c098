import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { seal, unseal } from './encryption.ts';
import { BackupProblem } from './problem.ts';

/** A file of a backup as it is stored there, encrypted or not. */
export const piece = z.object({
  /** Relative to the directory of the backup. */
  path: z.string(),
  bytes: z.number(),
  sha256: z.string(),
});
export type Piece = z.infer<typeof piece>;

type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Writes a file of a backup, durably. @param key encrypts it; null leaves it as it is */
export async function writePiece(
  directory: string,
  path: string,
  source: Source,
  key: Buffer | null,
): Promise<Piece> {
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true });
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(target, 'wx', 0o600);
  try {
    for await (const chunk of key ? seal(source, key) : source) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

/**
 * Reads a file of a backup. What it yields must not be used before it has ended: only then is it known to be whole.
 * @throws BackupProblem if it is not what was written
 */
export async function* readPiece(
  directory: string,
  { path, bytes, sha256 }: Piece,
  key: Buffer | null,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let read = 0;
  async function* stored(): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(join(directory, path))) {
      hash.update(chunk);
      read += chunk.length;
      yield chunk;
    }
    if (read !== bytes || hash.digest('hex') !== sha256) throw new Error('it differs from its checksum');
  }
  try {
    yield* key ? unseal(stored(), key) : stored();
  } catch (thrown) {
    throw new BackupProblem(
      `${join(directory, path)} is damaged (${thrown instanceof Error ? thrown.message : thrown}). Use another backup.`,
    );
  }
}

/** Reads a file of a backup to see that it is whole. @throws BackupProblem */
export async function verifyPiece(directory: string, stored: Piece): Promise<void> {
  const chunks = readPiece(directory, stored, null);
  while (!(await chunks.next()).done);
}

/** A small file of a backup as text. */
export async function readText(directory: string, stored: Piece, key: Buffer | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readPiece(directory, stored, key)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
