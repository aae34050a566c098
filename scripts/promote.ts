/**
 * `npm run promote [-- --check]`: with the servers that the environment names, otherwise with those that `npm start` runs for the
 * data directory.
 */
import { spawnSync } from 'node:child_process';
import { readSettings } from '../shared/domain/settings.ts';
import { SettingsError } from '../shared/kernel/secret-files.ts';
import { isLabServer } from './backup/engines.ts';
import { runningAddress } from './engines/state.ts';
import { compilePrograms, programs } from './programs.ts';
import { dataDirectoryAt } from './start/data-directory.ts';

const servers = { MONGODB_URI: 'mongodb', TEMPORAL_ADDRESS: 'temporal' } as const;

/** Addresses of the servers that `npm start` runs and the environment does not name. */
async function ownServers(): Promise<Record<string, string>> {
  const directory = dataDirectoryAt(readSettings(process.env).DATA_DIR);
  const found: Record<string, string> = {};
  for (const variable of ['MONGODB_URI', 'TEMPORAL_ADDRESS'] as const) {
    if (isLabServer(variable)) continue;
    const address = await runningAddress(directory.stateFile, servers[variable]);
    if (address === null) {
      throw new SettingsError([
        `${variable} is not set, and npm start runs no ${servers[variable]} for ${directory.root}. Start it, or set ${variable} and DATA_DIR as the workers have them.`,
      ]);
    }
    found[variable] = address;
  }
  return found;
}

try {
  const env = { ...process.env, ...(await ownServers()) };
  await compilePrograms();
  const promoted = spawnSync(process.execPath, [programs.promote, ...process.argv.slice(2)], {
    env,
    stdio: 'inherit',
  });
  process.exitCode = promoted.status ?? 1;
} catch (thrown) {
  console.error(thrown instanceof SettingsError ? thrown.message : thrown);
  process.exitCode = 1;
}
