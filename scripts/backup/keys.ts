import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { KEY_FILE, listBackups } from './contents.ts';
import { keyOf, keyParameters, newKey } from './encryption.ts';
import { BackupProblem } from './problem.ts';

/**
 * The key of a directory of backups; null if they are not encrypted. The first backup decides.
 * @throws BackupProblem if the passphrase is missing, wrong or not wanted
 */
export async function keyForBackups(directory: string, passphrase: string | null): Promise<Buffer | null> {
  const file = join(directory, KEY_FILE);
  if (existsSync(file)) return knownKey(directory, passphrase);
  if (passphrase === null) return null;
  if ((await listBackups(directory)).length > 0) {
    throw new BackupProblem(
      `${directory} has backups that are not encrypted. Make encrypted ones in another directory.`,
    );
  }
  const { key, parameters } = await newKey(passphrase);
  await replaceFile(file, `${JSON.stringify(parameters, null, 2)}\n`, { durable: true });
  return key;
}

/** The key of the backups that are there; null if they are not encrypted. @throws BackupProblem as above */
export async function knownKey(directory: string, passphrase: string | null): Promise<Buffer | null> {
  const file = join(directory, KEY_FILE);
  if (!existsSync(file)) return null;
  if (passphrase === null) {
    throw new BackupProblem(`The backups in ${directory} are encrypted. Name the file of their passphrase.`);
  }
  return keyOf(passphrase, keyParameters.parse(JSON.parse(await readFile(file, 'utf8'))));
}
