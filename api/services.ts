import { createSignIn } from '../shared/accounts/sign-in.ts';
import { createUserStore } from '../shared/accounts/store.ts';
import { createTokens, tokenSecret } from '../shared/accounts/tokens.ts';
import { createCalibrationRecords } from '../shared/assembly.ts';
import { createLatestResults } from '../shared/chips/latest-results.ts';
import { createChipStore } from '../shared/chips/store.ts';
import type { Settings } from '../shared/config.ts';
import type { Database } from '../shared/database.ts';
import { createFlowExecution } from '../shared/flows/execute.ts';
import { createFlowStore } from '../shared/flows/store.ts';
import { createProjectStore } from '../shared/projects/store.ts';
import { readBackendSettings } from '../shared/tasks/backend-settings.ts';
import { taskNames } from '../shared/tasks/catalog.ts';
import { createTaskListing } from '../shared/tasks/listing.ts';
import type { Engine } from '../shared/temporal.ts';

export interface ServiceDependencies {
  settings: Settings;
  database: Database;
  engine: Engine;
}

/** The operations that routes call, wired once for each server. */
export async function createServices({ settings, database, engine }: ServiceDependencies) {
  const { db } = database;
  const secret = await tokenSecret(settings.TOKEN_SECRET, settings.DATA_DIR);
  const users = createUserStore(db);
  const projects = createProjectStore(db);
  const chips = createChipStore(db);
  const flows = createFlowStore(db, settings.DATA_DIR, taskNames);
  const records = createCalibrationRecords({ db, engine, settings });
  return {
    users,
    projects,
    chips,
    flows,
    signIn: createSignIn(users, await createTokens(secret, settings.TOKEN_LIFETIME)),
    executions: records.reader,
    provenance: records.provenance,
    results: records.results,
    taskListing: createTaskListing(await readBackendSettings(settings.DEFAULT_BACKEND)),
    latestResults: createLatestResults(chips.qubitValues, records.results.latestByTarget),
    executeFlow: createFlowExecution({
      flow: flows.get,
      chip: chips.get,
      known: records.starter.known,
      start: (request) => records.starter.start(request),
      backend: settings.DEFAULT_BACKEND,
    }),
  };
}

export type Services = Awaited<ReturnType<typeof createServices>>;
