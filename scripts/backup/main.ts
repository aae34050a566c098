/** `npm run backup -- --to <directory>`: backs up an installation, which may be in use. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readSettings } from '../../shared/domain/settings.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { SettingsError } from '../../shared/kernel/secret-files.ts';
import { readPassphrase } from './encryption.ts';
import { takeBackup } from './take.ts';

const USAGE = `npm run backup -- --to <directory> [--passphrase-file <file>] [--daily 7] [--weekly 4]

  --to                the directory of all backups; each gets a directory of its own in it
  --passphrase-file   encrypts the backups; all of a directory have the same passphrase
  --daily, --weekly   number of days and weeks of each of which the newest backup is kept; others are deleted

The settings of the installation belong in the environment. It may be in use.`;

const say = (line: string) => console.log(line);

class WrongUse extends Error {}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return say(USAGE);
  // Secrets are among the files.
  process.umask(0o077);
  const { to, passphraseFile, daily, weekly } = readArguments();
  const passphrase = passphraseFile === undefined ? null : await readPassphrase(passphraseFile);
  await takeBackup(readSettings(process.env), {
    to: resolve(to),
    passphrase,
    retention: { daily, weekly },
    report: say,
  });
}

function readArguments() {
  let values: Partial<Record<'to' | 'passphrase-file' | 'daily' | 'weekly', string>>;
  try {
    ({ values } = parseArgs({
      options: {
        to: { type: 'string' },
        'passphrase-file': { type: 'string' },
        daily: { type: 'string' },
        weekly: { type: 'string' },
      },
    }));
  } catch (thrown) {
    throw new WrongUse(messageOf(thrown));
  }
  const { to } = values;
  if (!to) throw new WrongUse('--to is missing.');
  const count = (name: 'daily' | 'weekly', fallback: number): number => {
    const given = values[name];
    if (given === undefined) return fallback;
    if (!/^\d{1,4}$/.test(given)) throw new WrongUse(`--${name} must be a number.`);
    return Number(given);
  };
  return {
    to,
    passphraseFile: values['passphrase-file'],
    daily: count('daily', 7),
    weekly: count('weekly', 4),
  };
}

await main().catch((thrown: unknown) => {
  const problems = thrown instanceof SettingsError ? thrown.problems : [messageOf(thrown)];
  for (const problem of problems) console.error(problem);
  if (thrown instanceof WrongUse) console.error(USAGE);
  process.exitCode = thrown instanceof WrongUse ? 2 : 1;
});
