import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../new-ids.ts';

/** Random bytes of a new secret. */
const SECRET_BYTES = 32;

/**
 * The secret in a file that only its owner may read. A missing file is created with a random secret, in hexadecimal; of several
 * processes that create it at the same time, one wins.
 */
export async function keptSecret(file: string): Promise<string> {
  try {
    return await readSecret(file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${newId()}`;
  await writeFile(draft, `${randomBytes(SECRET_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown;
  } finally {
    await unlink(draft);
  }
  return readSecret(file);
}

async function readSecret(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trim();
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
