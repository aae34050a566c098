import { createCipheriv, createDecipheriv, type DecipherGCM, randomBytes, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { BackupProblem } from './problem.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Half a second on a laptop of 2020, and 128 MiB. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const COST_MEMORY = 256 * 1024 * 1024;
const SHORTEST_PASSPHRASE = 12;

/** How the key of a directory of backups follows from its passphrase. `check` is a sealed word that shows a wrong passphrase. */
export const keyParameters = z.object({
  algorithm: z.literal(ALGORITHM),
  kdf: z.literal('scrypt'),
  salt: z.string(),
  N: z.number(),
  r: z.number(),
  p: z.number(),
  check: z.string(),
});
export type KeyParameters = z.infer<typeof keyParameters>;

const CHECK_WORD = 'calibron';

/** Reads a passphrase from a file; a line break at its end does not count. */
export async function readPassphrase(file: string): Promise<string> {
  const text = (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  if (text.length < SHORTEST_PASSPHRASE) {
    throw new BackupProblem(
      `The passphrase in ${file} must have at least ${SHORTEST_PASSPHRASE} characters.`,
    );
  }
  return text;
}

/** A new key for a passphrase, and what is needed to derive it again. */
export async function newKey(passphrase: string): Promise<{ key: Buffer; parameters: KeyParameters }> {
  const salt = randomBytes(16);
  const key = await derive(passphrase, salt, COST);
  const check = Buffer.concat(await collect(seal([Buffer.from(CHECK_WORD)], key))).toString('base64');
  return {
    key,
    parameters: {
      algorithm: ALGORITHM,
      kdf: 'scrypt' as const,
      salt: salt.toString('base64'),
      ...COST,
      check,
    },
  };
}

/** @throws BackupProblem if the passphrase is wrong */
export async function keyOf(passphrase: string, parameters: KeyParameters): Promise<Buffer> {
  const key = await derive(passphrase, Buffer.from(parameters.salt, 'base64'), parameters);
  try {
    await collect(unseal([Buffer.from(parameters.check, 'base64')], key));
  } catch {
    throw new BackupProblem('The passphrase is not the one of these backups.');
  }
  return key;
}

/** Encrypts a stream: nonce, content, tag. */
export async function* seal(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  key: Buffer,
): AsyncGenerator<Buffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  yield nonce;
  for await (const chunk of source) yield cipher.update(chunk);
  yield cipher.final();
  yield cipher.getAuthTag();
}

/**
 * Decrypts a stream. What it yields must not be used before it has ended: only then is it known to be genuine.
 * @throws Error if it was changed or cut off, or if the key is another one
 */
export async function* unseal(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  key: Buffer,
): AsyncGenerator<Buffer> {
  let decipher: DecipherGCM | null = null;
  let held = Buffer.alloc(0);
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk]);
    if (decipher === null && held.length >= NONCE_BYTES) {
      decipher = createDecipheriv(ALGORITHM, key, held.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      held = held.subarray(NONCE_BYTES);
    }
    // The last bytes may be the tag.
    if (decipher && held.length > TAG_BYTES) {
      yield decipher.update(held.subarray(0, held.length - TAG_BYTES));
      held = held.subarray(held.length - TAG_BYTES);
    }
  }
  if (!decipher || held.length < TAG_BYTES) throw new Error('an encrypted file is cut off');
  decipher.setAuthTag(held);
  yield decipher.final();
}

function derive(
  passphrase: string,
  salt: Buffer,
  { N, r, p }: Pick<KeyParameters, 'N' | 'r' | 'p'>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize(), salt, KEY_BYTES, { N, r, p, maxmem: COST_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return chunks;
}
