import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { MongoError } from 'mongodb';
import { domain } from '../shared/domain/areas.ts';
import { readSettings, type Settings } from '../shared/domain/settings.ts';
import { connectDatabase } from '../shared/kernel/database.ts';
import { connectEngine, type Engine, engineAccess } from '../shared/kernel/engine/temporal.ts';
import { createLog } from '../shared/kernel/log.ts';
import { SettingsError } from '../shared/kernel/secret-files.ts';
import { findTask } from '../shared/tasks/catalog.ts';
import { workflowBundle } from './bundle.ts';
import { workerDeployment } from './deployment.ts';
import { workerIdentity } from './identity.ts';
import { NotPromoted, promote } from './promotion.ts';
import { checkPromotion } from './promotion-check.ts';
import { DOES_NOT_MATCH, WOULD_WAIT } from './promotion-codes.ts';

const CHECK = '--check';

/**
 * Makes a worker version the current one: that of this program, or the one with the given build id. With `--check`, changes nothing
 * and lists the open runs that would not continue with this program.
 */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const engine = connectEngine(await engineAccess(settings));
  try {
    await (process.argv.includes(CHECK) ? check(settings, engine) : promoteVersion(settings, engine));
  } finally {
    await engine.close();
  }
}

const bundleOf = (settings: Settings) =>
  workflowBundle(join(settings.DATA_DIR, 'cache'), { versioned: true });

async function promoteVersion(settings: Settings, engine: Engine): Promise<void> {
  const own = await workerDeployment(settings, await bundleOf(settings));
  if (!own)
    throw new NotPromoted('WORKER_DEPLOYMENT is not set: workers have no versions, so none is current.');
  const version = { ...own.version, buildId: process.argv[2] ?? own.version.buildId };
  const { before } = await promote(engine, version, workerIdentity);
  console.log(
    `Current version of ${version.deploymentName}: ${version.buildId} (before: ${before || 'none'})`,
  );
}

async function check(settings: Settings, engine: Engine): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  const { areas, close } = domain.open({
    db: database.db,
    engine,
    settings,
    log: createLog('promote', settings.LOG_LEVEL),
  });
  try {
    const { replayed, mismatches, waits, indexes } = await checkPromotion({
      engine,
      db: database.db,
      executions: areas.executions,
      findTask,
      bundlePath: await bundleOf(settings),
      collections: domain.collections,
    });
    const problems = mismatches.length + waits.length;
    for (const message of [...mismatches, ...waits, ...indexes]) console.log(message);
    console.log(
      problems === 0
        ? `${replayed} open workflows continue with this release.`
        : `${problems} problems in open runs: end these runs first, or keep the workers of their release.`,
    );
    if (mismatches.length > 0) process.exitCode = DOES_NOT_MATCH;
    else if (waits.length > 0) process.exitCode = WOULD_WAIT;
  } finally {
    await close();
    await database.close();
  }
}

main().catch((thrown: unknown) => {
  const isExpected = thrown instanceof SettingsError || thrown instanceof NotPromoted;
  if (thrown instanceof MongoError) console.error(`The store at MONGODB_URI: ${thrown.message}`);
  else console.error(isExpected ? thrown.message : thrown);
  process.exitCode = 1;
});
