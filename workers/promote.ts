import { join } from 'node:path';
import { readSettings } from '../shared/domain/settings.ts';
import { connectEngine, engineAccess } from '../shared/kernel/engine/temporal.ts';
import { SettingsError } from '../shared/kernel/secret-files.ts';
import { workflowBundle } from './bundle.ts';
import { workerDeployment } from './deployment.ts';
import { workerIdentity } from './identity.ts';
import { NotPromoted, promote } from './promotion.ts';

/** Makes a worker version the current one: that of this program, or the one with the given build id. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const own = await workerDeployment(
    settings,
    await workflowBundle(join(settings.DATA_DIR, 'cache'), { versioned: true }),
  );
  if (!own)
    throw new NotPromoted('WORKER_DEPLOYMENT is not set: workers have no versions, so none is current.');
  const version = { ...own.version, buildId: process.argv[2] ?? own.version.buildId };
  const engine = connectEngine(await engineAccess(settings));
  try {
    const { before } = await promote(engine, version, workerIdentity);
    console.log(
      `Current version of ${version.deploymentName}: ${version.buildId} (before: ${before || 'none'})`,
    );
  } finally {
    await engine.close();
  }
}

main().catch((thrown: unknown) => {
  const isSentence = thrown instanceof SettingsError || thrown instanceof NotPromoted;
  console.error(isSentence ? thrown.message : thrown);
  process.exitCode = 1;
});
