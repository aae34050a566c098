import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FirstAdministrator } from '../../shared/domain/administration/index.ts';
import { type Areas, domain } from '../../shared/domain/areas.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { prepareStore } from '../../shared/domain/store-preparation.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { connectEngine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { keptSecret } from '../../shared/kernel/files/kept-secret.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { createClient } from '../demo/client.ts';
import {
  type Demonstration,
  findDemonstration,
  prepareDemonstration,
  showDemonstration,
} from '../demo/demo.ts';
import { compilePrograms } from '../programs.ts';
import { administratorToken, prepareAccounts } from './accounts.ts';
import { buildConsoleBeside } from './console.ts';
import { type DataDirectory, dataDirectoryAt, RESTORING } from './data-directory.ts';
import { drawExpectedFigures, haveExpectedFigures } from './expected-figures.ts';
import { consoleAddress } from './own-services.ts';
import { checkRelease, noteRelease } from './release-check.ts';
import type { Screen } from './screen.ts';
import { runAsOnlyInstance } from './single-instance.ts';
import { stopGrace, stopPatience } from './stop-grace.ts';
import { type StopRequest, stopAll, watchForStop } from './stopping.ts';
import { createSystem } from './system.ts';
import { table } from './table.ts';
import { createUiProxy } from './ui-proxy.ts';

/** Milliseconds that a start in progress may take to react to a stop request. */
const SETTLING_MS = 2_000;

/** Starts everything, keeps it running until a stop request, and then stops it. @returns the exit code */
export async function run(
  settings: Settings,
  { demo, despiteOpenRuns }: { demo: boolean; despiteOpenRuns: boolean },
  screen: Screen,
): Promise<number> {
  // No other user may access store, logs and keys, whichever process creates them.
  process.umask(0o077);
  const directory = dataDirectoryAt(settings.DATA_DIR);
  await closeToOthers(directory.root);
  if (existsSync(join(directory.root, RESTORING))) {
    throw new Error(`a restore to ${directory.root} was not finished; run npm run restore again`);
  }
  const grace = stopGrace(settings);
  return runAsOnlyInstance(
    directory,
    { report: screen.line, patience: stopPatience(settings) },
    async (reportPhase) => {
      await reportPhase('starting');
      const stop = watchForStop(directory, screen.line);
      const account: FirstAccount = { created: null, shown: false };
      const serving = serve({
        settings,
        directory,
        screen,
        demo,
        despiteOpenRuns,
        stop,
        account,
        reportPhase,
      });
      let code = 0;
      try {
        await Promise.race([stop.asked, serving.then(() => stop.asked)]);
      } catch (thrown) {
        process.stderr.write(`Calibron cannot start: ${messageOf(thrown)}\n`);
        code = 1;
      }
      await reportPhase('stopping');
      await stopAll(directory, grace);
      // Also stop processes that were being started during the first stop.
      await Promise.race([serving.catch(() => undefined), sleep(SETTLING_MS)]);
      await stopAll(directory, grace);
      // Otherwise the password would be lost, and no user could ever log in.
      if (account.created?.password && !account.shown) {
        screen.line(
          `the administrator ${account.created.username} has the password ${account.created.password}`,
        );
      }
      screen.line(`stopped; the data stays in ${shown(directory.root)}`);
      return code;
    },
  );
}

/** Removes access of other users to the directory, even if an earlier start has created it. */
async function closeToOthers(root: string): Promise<void> {
  await mkdir(root, { recursive: true });
  await chmod(root, 0o700);
}

/** The first administrator, if this start created it, and whether its password has been shown. */
interface FirstAccount {
  created: FirstAdministrator | null;
  shown: boolean;
}

interface Serving {
  settings: Settings;
  directory: DataDirectory;
  screen: Screen;
  demo: boolean;
  despiteOpenRuns: boolean;
  stop: StopRequest;
  account: FirstAccount;
  reportPhase(phase: 'running', address: string): Promise<void>;
}

async function serve(serving: Serving): Promise<void> {
  const { settings, directory, screen, demo, despiteOpenRuns, stop, account, reportPhase } = serving;
  const report = screen.line;
  await compilePrograms();
  const uiToken = await keptSecret(directory.uiTokenFile);
  const uiProxy = createUiProxy(uiToken, settings.TEMPORAL_NAMESPACE);
  const system = createSystem({ settings, directory, report, signal: stop.signal, demo, uiProxy });
  const { addresses } = system;
  let areas: Areas | undefined;
  await system.start(async (temporalReady) => {
    const database = await connectDatabase(addresses.mongodb, settings.MONGODB_DATABASE);
    const { db } = database;
    const log = createLog('start', settings.LOG_LEVEL);
    // The engine may not be running yet. Nothing here uses it.
    const engine = connectEngine(await engineAccess(settings));
    ({ areas } = domain.open({ db, engine, settings, log }));
    await checkRelease({
      file: directory.releaseFile,
      db,
      executions: areas.executions.store,
      collections: domain.collections,
      environment: system.environment,
      temporalReady,
      report,
      signal: stop.signal,
      despiteOpenRuns,
      hasVersions: settings.WORKER_DEPLOYMENT !== undefined,
    });
    await prepareStore({ database, settings, log }, { report, signal: stop.signal });
    account.created = await prepareAccounts(areas.administration);
  });
  if (stop.signal.aborted || !areas) return;
  system.keepAlive(stop.signal);
  await noteRelease(directory.releaseFile);
  await reportPhase('running', addresses.api);
  // The first page that a browser opens waits for it.
  const building =
    settings.CONSOLE === 'on'
      ? buildConsoleBeside(stop.signal).catch((thrown: unknown) => {
          if (!stop.signal.aborted) report(`the console could not be built: ${messageOf(thrown)}`);
        })
      : null;

  const token = await administratorToken(areas.accounts, settings.ADMIN_USERNAME);
  const client = token === null ? null : createClient(addresses.api, token);
  const laboratory = {
    areas,
    settings,
    temporalUi: addresses.temporalUi,
    api: addresses.api,
    password: account.created?.password ?? null,
  };
  let demonstration: Demonstration | null = null;
  try {
    demonstration = client && (await (demo ? prepareDemonstration : findDemonstration)(client, laboratory));
    if (!client && demo) report(`no demonstration: there is no user ${settings.ADMIN_USERNAME}`);
  } catch (thrown) {
    report(`the demonstration could not be prepared: ${messageOf(thrown)}`);
  }

  report('');
  report(`Calibron is ready after ${process.uptime().toFixed(1)} s.`);
  report('');
  const query = demonstration ? `?query=${encodeURIComponent(`ProjectId="${demonstration.projectId}"`)}` : '';
  const rows: [string, string][] = [
    ...(settings.CONSOLE === 'on'
      ? [['Console', clientOf(settings, addresses.api)] satisfies [string, string]]
      : []),
    ['API', addresses.api],
    ['Guide', `${addresses.api}/docs/guide/`],
    ['Interface', `${addresses.api}/docs`],
    ['Temporal', addresses.temporal],
    ['Temporal UI', `${addresses.temporalUi}/namespaces/${settings.TEMPORAL_NAMESPACE}/workflows${query}`],
    ...(process.env.TEMPORAL_ADDRESS || process.env.TEMPORAL_UI_URL
      ? []
      : [
          ['UI token', `${uiToken}   (password of the Temporal UI, any username)`] satisfies [string, string],
        ]),
    ['Administrator', settings.ADMIN_USERNAME],
  ];
  if (account.created) rows.push(['Password', passwordText(account.created)]);
  rows.push(['Data and logs', shown(directory.root)]);
  for (const row of table(rows)) report(row);
  account.shown = true;
  report('');
  if (demo && client && demonstration) {
    await showDemonstration(client, demonstration, laboratory, { screen, signal: stop.signal }).catch(
      (thrown: unknown) => {
        screen.settle();
        if (!stop.signal.aborted) report(`the demonstration did not work: ${messageOf(thrown)}`);
      },
    );
  }
  await building;
  if (!stop.signal.aborted) report('Ctrl-C stops everything.');
  if (demo && !(await haveExpectedFigures())) {
    await drawExpectedFigures(stop.signal).catch((thrown: unknown) => {
      if (!stop.signal.aborted) report(`the pages about tasks have no pictures: ${messageOf(thrown)}`);
    });
  }
}

/** Where people open the console of an API. */
function clientOf(settings: Settings, api: string): string {
  return consoleAddress(settings, Number(new URL(api).port)) ?? settings.CLIENT_URL;
}

function passwordText(created: FirstAdministrator): string {
  return created.password === null ? 'as set in ADMIN_PASSWORD' : `${created.password}   (shown only now)`;
}

/** A path for display, relative to the current directory if it is below it. */
function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith('..') ? path : near;
}
