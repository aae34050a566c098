import type { Registration } from '../shared/domain/accounts/model.ts';
import { createOwnAccount } from '../shared/domain/accounts/own-account.ts';
import { createSignIn } from '../shared/domain/accounts/sign-in.ts';
import { createTokens, tokenSecret } from '../shared/domain/accounts/tokens.ts';
import { createAdministration } from '../shared/domain/administration/administration.ts';
import { importUsers } from '../shared/domain/administration/bulk-import.ts';
import { registerUser } from '../shared/domain/administration/registration.ts';
import { createAccountRecords, createCalibrationRecords } from '../shared/domain/assembly.ts';
import { backendsFile, readBackendSettings } from '../shared/domain/backends/backend-settings.ts';
import { createTaskListing } from '../shared/domain/backends/listing.ts';
import { createChipStore } from '../shared/domain/chips/store.ts';
import { createTargetResults } from '../shared/domain/chips/target-results.ts';
import { createConfiguration } from '../shared/domain/configuration/configuration.ts';
import { publicSettingsOf } from '../shared/domain/configuration/public-settings.ts';
import { createFlows } from '../shared/domain/flows/index.ts';
import { createParsingPool } from '../shared/domain/parsing/pool.ts';
import { createMembers } from '../shared/domain/projects/members.ts';
import { createScheduling } from '../shared/domain/schedules/scheduling.ts';
import { createScheduleStore } from '../shared/domain/schedules/store.ts';
import { createTimetable } from '../shared/domain/schedules/timetable.ts';
import type { Settings } from '../shared/kernel/config.ts';
import type { Database } from '../shared/kernel/database.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import type { Logger } from '../shared/kernel/log.ts';

export interface ServiceDependencies {
  settings: Settings;
  database: Database;
  engine: Engine;
  log: Logger;
}

/** The operations that routes call, wired once for each server. */
export async function createServices({ settings, database, engine, log }: ServiceDependencies) {
  const { db } = database;
  const secret = await tokenSecret(settings.TOKEN_SECRET, settings.DATA_DIR);
  const chips = createChipStore(db);
  const flows = createFlows({ db, settings });
  const tokens = await createTokens(secret, {
    lifetime: settings.TOKEN_LIFETIME,
    idle: settings.TOKEN_IDLE,
  });
  const parsing = createParsingPool();
  const configuration = createConfiguration({
    db,
    log,
    parsing,
    directory: settings.CONFIG_PATH,
    remote: {
      url: settings.CONFIG_REPO_URL ?? null,
      user: settings.CONFIG_REPO_USER,
      token: settings.CONFIG_REPO_TOKEN ?? null,
    },
    known: [backendsFile(settings.DEFAULT_BACKEND)],
  });
  const taskListing = configuration.follow(async () =>
    createTaskListing(await readBackendSettings(settings.DEFAULT_BACKEND, settings.CONFIG_PATH)),
  );
  // A mistake in the file ends the start, not the first request.
  await taskListing();
  const backends = async () => (await taskListing()).config().backends;
  const records = createCalibrationRecords({ db, engine, settings, flows, chips, backends });
  const accounts = createAccountRecords({ db, engine, holderOf: records.runs.holder });
  const { users, projects } = accounts;
  const signIn = createSignIn(users, tokens);
  return {
    users,
    projects,
    members: createMembers(accounts),
    projectDeletion: accounts.deletion,
    administration: createAdministration({ ...accounts, ensureProject: projects.ensure }),
    ownAccount: createOwnAccount(users, signIn),
    register: (wanted: Registration) =>
      registerUser({ users, tokens, ensureProject: projects.ensure }, wanted),
    importUsers: (file: Uint8Array, onFailure: (thrown: unknown) => void) =>
      importUsers(users, file, onFailure),
    chips,
    flows,
    signIn,
    executions: records.reader,
    runs: records.runs,
    approvals: records.approvals,
    provenance: records.provenance,
    results: records.results,
    parsing,
    configuration,
    publicSettings: publicSettingsOf(settings),
    taskListing,
    targetResults: createTargetResults({ ...records, chips, timezone: settings.TIMEZONE }),
    scheduling: createScheduling({
      schedules: createScheduleStore(db),
      timetable: createTimetable(engine),
      flow: flows.get,
      timezone: settings.TIMEZONE,
    }),
  };
}

export type Services = Awaited<ReturnType<typeof createServices>>;
