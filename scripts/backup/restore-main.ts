/** `npm run restore -- --from <directory>`: restores a backup to an empty installation. */
import { parseArgs } from 'node:util';
import { readSettings } from '../../shared/domain/settings.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { SettingsError } from '../../shared/kernel/secret-files.ts';
import { readPassphrase } from './encryption.ts';
import { restoreBackup } from './restore.ts';

const USAGE = `npm run restore -- --from <directory> [--passphrase-file <file>] [--as-copy]

  --from              a backup, or the directory of all backups for the newest one
  --passphrase-file   file with the passphrase of encrypted backups
  --as-copy           the original still runs: this gets an installation id of its own, all open runs
                      are ended and all schedules paused

The settings of the new installation belong in the environment. Its directories and database must be empty.`;

const say = (line: string) => console.log(line);

class WrongUse extends Error {}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return say(USAGE);
  // Secrets are among the files.
  process.umask(0o077);
  const values = readArguments();
  if (!values.from) throw new WrongUse('--from is missing.');
  const file = values['passphrase-file'];
  await restoreBackup(readSettings(process.env), {
    from: values.from,
    passphrase: file === undefined ? null : await readPassphrase(file),
    asCopy: values['as-copy'] ?? false,
    report: say,
  });
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        from: { type: 'string' },
        'passphrase-file': { type: 'string' },
        'as-copy': { type: 'boolean' },
      },
    }).values;
  } catch (thrown) {
    throw new WrongUse(messageOf(thrown));
  }
}

await main().catch((thrown: unknown) => {
  const problems = thrown instanceof SettingsError ? thrown.problems : [messageOf(thrown)];
  for (const problem of problems) console.error(problem);
  if (thrown instanceof WrongUse) console.error(USAGE);
  process.exitCode = thrown instanceof WrongUse ? 2 : 1;
});
