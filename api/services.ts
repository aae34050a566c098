import { createAdministration } from '../shared/accounts/administration.ts';
import { importUsers } from '../shared/accounts/bulk-import.ts';
import type { Registration } from '../shared/accounts/model.ts';
import { createOwnAccount } from '../shared/accounts/own-account.ts';
import { registerUser } from '../shared/accounts/registration.ts';
import { createSignIn } from '../shared/accounts/sign-in.ts';
import { createTokens, tokenSecret } from '../shared/accounts/tokens.ts';
import { createApprovalDesk } from '../shared/approvals/answering.ts';
import { createAccountRecords, createCalibrationRecords } from '../shared/assembly.ts';
import { createChipStore } from '../shared/chips/store.ts';
import { createTargetResults } from '../shared/chips/target-results.ts';
import type { Settings } from '../shared/config.ts';
import { createConfiguration } from '../shared/configuration/configuration.ts';
import { publicSettingsOf } from '../shared/configuration/public-settings.ts';
import type { Database } from '../shared/database.ts';
import { createRunControls } from '../shared/executions/controlling.ts';
import { createStageReader } from '../shared/executions/stages.ts';
import type { StartRequest } from '../shared/executions/starting.ts';
import { createRunWatch } from '../shared/executions/watching.ts';
import { createAvailability } from '../shared/flows/availability.ts';
import { createFlowExecution } from '../shared/flows/execute.ts';
import { createRepeats } from '../shared/flows/repeating.ts';
import { createFlowStore } from '../shared/flows/store.ts';
import type { Logger } from '../shared/log.ts';
import { createParsingPool } from '../shared/parsing/pool.ts';
import { createMembers } from '../shared/projects/members.ts';
import { createScheduling } from '../shared/schedules/scheduling.ts';
import { createScheduleStore } from '../shared/schedules/store.ts';
import { createTimetable } from '../shared/schedules/timetable.ts';
import { createSingleTaskStarts } from '../shared/single-tasks/starting.ts';
import { backendsFile, readBackendSettings } from '../shared/tasks/backend-settings.ts';
import { findTask, taskNames } from '../shared/tasks/catalog.ts';
import { createTaskListing } from '../shared/tasks/listing.ts';
import type { Engine } from '../shared/temporal.ts';

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
  const flows = createFlowStore(db, settings.DATA_DIR, taskNames);
  const records = createCalibrationRecords({ db, engine, settings });
  const accounts = createAccountRecords({ db, engine, holderOf: records.starter.holderOf });
  const { users, projects } = accounts;
  const tokens = await createTokens(secret, settings.TOKEN_LIFETIME);
  const signIn = createSignIn(users, tokens);
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
  const starting = {
    known: records.starter.known,
    start: (request: StartRequest) => records.starter.start(request),
  };
  const backends = async () => (await taskListing()).config().backends;
  const executeFlow = createFlowExecution({
    flow: flows.get,
    chip: chips.get,
    backends: async () => Object.keys(await backends()),
    defaultBackend: settings.DEFAULT_BACKEND,
    ...starting,
  });
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
    stages: createStageReader(records),
    runControls: createRunControls({ engine, ...records, find: records.reader.find }),
    watchRun: (projectId: string, executionId: string) => createRunWatch(records, projectId, executionId),
    approvals: createApprovalDesk({ engine, approvals: records.approvals }),
    provenance: records.provenance,
    results: records.results,
    parsing,
    configuration,
    publicSettings: publicSettingsOf(settings),
    taskListing,
    targetResults: createTargetResults({ ...records, chips, timezone: settings.TIMEZONE }),
    executeFlow,
    scheduling: createScheduling({
      schedules: createScheduleStore(db),
      timetable: createTimetable(engine),
      flow: flows.get,
      timezone: settings.TIMEZONE,
    }),
    availability: createAvailability({
      flow: flows.get,
      chip: chips.get,
      holder: records.starter.holderOf,
      execution: records.executions.get,
    }),
    repeats: createRepeats({
      ...starting,
      execution: records.executions.get,
      request: records.executions.request,
      outcomes: records.results.outcomes,
      flow: flows.get,
      chip: chips.get,
      executeFlow,
    }),
    singleTasks: createSingleTaskStarts({
      chips,
      result: records.results.get,
      backendOf: async (projectId, executionId) =>
        (await records.executions.get(projectId, executionId))?.backend,
      backends,
      defaultBackend: settings.DEFAULT_BACKEND,
      findTask,
      taskNames,
      ...starting,
    }),
  };
}

export type Services = Awaited<ReturnType<typeof createServices>>;
