import type { AddressInfo } from 'node:net';
import type { Administration } from '../shared/domain/administration/index.ts';
import { domain } from '../shared/domain/areas.ts';
import { unknownSettingMessages } from '../shared/domain/setting-names.ts';
import { readSettings } from '../shared/domain/settings.ts';
import { connectDatabase } from '../shared/kernel/database.ts';
import { confirmedEngine } from '../shared/kernel/engine/confirmed.ts';
import { prepareEngineWhenThere } from '../shared/kernel/engine/prepare.ts';
import { connectEngine, engineAccess } from '../shared/kernel/engine/temporal.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import { createInstallation } from '../shared/kernel/installation/installation.ts';
import { createLog } from '../shared/kernel/log.ts';
import { SettingsError } from '../shared/kernel/secret-files.ts';
import { tellSourcePositions } from '../shared/kernel/source-positions.ts';
import { stopOnSignals } from '../shared/kernel/stopping.ts';
import { logStoreWarnings } from '../shared/kernel/store-warnings.ts';

import { buildServer } from './server.ts';
import { drain, finishRequests, phaseLimits } from './shutdown.ts';
import { waitForStore } from './store-wait.ts';

async function main(): Promise<void> {
  tellSourcePositions();
  const settings = readSettings(process.env);
  const log = createLog('api', settings.LOG_LEVEL);
  for (const message of unknownSettingMessages(process.env, settings)) log.warn(message);
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  await logStoreWarnings(database.db, settings.MONGODB_URI, log);
  await waitForStore({ database, settings, log });
  const direct = connectEngine(await engineAccess(settings));
  const isThere = await prepareEngineWhenThere(direct, { log, failed: leave });
  const installation = createInstallation({ database, engine: direct, address: settings.TEMPORAL_ADDRESS });
  if (isThere) await installation.checkIfThere();
  const engine = confirmedEngine(direct, installation.confirm);
  const { areas } = domain.open({ db: database.db, engine, settings, log });
  if (installation.problem === null) await setUpAdministrator(areas.administration);
  else log.error(installation.problem);
  installation.watch({
    log,
    changed(problem) {
      if (problem === null) setUpAdministrator(areas.administration).catch(leave);
    },
  });
  const server = await buildServer({ settings, database, engine, log, installation });
  stopOnSignals(
    [
      {
        name: 'drain',
        limit: settings.API_DRAIN * 1000 + phaseLimits.drain,
        run: () => drain(server, settings.API_DRAIN),
      },
      { name: 'requests', limit: phaseLimits.requests, run: () => finishRequests(server) },
      { name: 'engine', limit: phaseLimits.connections, run: () => engine.close() },
      { name: 'database', limit: phaseLimits.connections, run: () => database.close() },
    ],
    log,
  );
  await server.listen({ host: settings.API_HOST, port: settings.API_PORT });
  const { address, port } = addressOf(server.server.address());
  log.info({ address, port }, 'listening');
}

/** Creates the first administrator. A generated password is printed once to stderr and never logged. */
async function setUpAdministrator(administration: Pick<Administration, 'createFirst'>): Promise<void> {
  await administration.createFirst(({ username, password }) => {
    if (password === null) return;
    process.stderr.write(
      `The administrator ${username} was created with the password ${password} (shown only now).\n`,
    );
  });
}

function addressOf(address: AddressInfo | string | null): { address: string; port: number } {
  return typeof address === 'object' && address !== null ? address : { address: String(address), port: 0 };
}

function leave(thrown: unknown): never {
  const problems =
    thrown instanceof SettingsError ? thrown.problems : [`The API cannot start: ${messageOf(thrown)}`];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exit(1);
}

await main().catch(leave);
