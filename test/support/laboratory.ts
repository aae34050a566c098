import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { z } from 'zod';
import type { FaultPlan } from '../../activities/backends/simulator/faults.ts';
import type { JournalEntry } from '../../activities/backends/simulator/journal.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { exemptFromReplay } from '../../scripts/engines/left-histories.ts';
import { programs } from '../../scripts/programs.ts';
import type { UserDocument } from '../../shared/domain/accounts/model.ts';
import { newUser } from '../../shared/domain/administration/index.ts';
import { domain } from '../../shared/domain/areas.ts';
import { seedQubits } from '../../shared/domain/chips/index.ts';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import { isEndStatus } from '../../shared/domain/executions/status-rules.ts';
import type { RunIdentity } from '../../shared/domain/runs/run-model.ts';
import { newSchedule, type ScheduleAnswer } from '../../shared/domain/schedules/model.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { prepareEngine } from '../../shared/kernel/engine/prepare.ts';
import { connectEngine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import { ensureIndexes } from '../../shared/kernel/index-builds.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { projectNamed, userNamed } from './ids.ts';
import { journalAt } from './journal.ts';
import { addSmallTopology } from './own-topologies.ts';
import { ada, createRunStarts } from './run-starts.ts';

// Workers inside a test process log only warnings and errors.
Runtime.install({ logger: new DefaultLogger('ERROR') });

/** Seconds without a heartbeat in tests: small, so that a killed worker is noticed soon. */
export const HEARTBEAT_TIMEOUT = 5;

/** Milliseconds in which a slow machine that is busy with other tests brings about what is waited for. */
const PATIENCE = 240_000;

/** Milliseconds after which a process counts as one that cannot start: machines that start many take a minute for one. */
const START_LIMIT = 120_000;

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run the tests with npm test`);
  return value;
}

/** Where workflow bundles are kept: the workflows are bundled once for the whole test run, not by each worker. */
export async function commonCache(): Promise<string> {
  const directory = join(fromEnvironment('CALIBRON_TEST_DIRECTORY'), 'cache');
  await mkdir(directory, { recursive: true });
  return directory;
}

/** A worker or an API in a process of its own. */
export interface OwnProcess {
  pid: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Asks it to stop and waits. */
  stop(): Promise<void>;
  /** Whether it is gone, for whatever reason. */
  hasEnded(): boolean;
  log(): Promise<string>;
}

export type Laboratory = Awaited<ReturnType<typeof openLaboratory>>;
/** A chip of the laboratory, in a project. */
export type LabChip = Awaited<ReturnType<Laboratory['newProject']>>;

/**
 * A place to run calibrations on the real engines: own database, own namespace, own files, worker processes
 * that can be killed.
 */
export async function openLaboratory(
  environment: Readonly<Record<string, string>> = {},
  { keepsDatabase = false }: { keepsDatabase?: boolean } = {},
) {
  // It goes with the test run where this process is killed before it can close the laboratory.
  const testDirectory = fromEnvironment('CALIBRON_TEST_DIRECTORY');
  const directory = await mkdtemp(join(testDirectory, 'laboratory-'));
  const name = `test_${newId().slice(0, 8)}`;
  const variables = {
    DATA_DIR: directory,
    TEMPORAL_ADDRESS: fromEnvironment('CALIBRON_TEST_TEMPORAL'),
    TEMPORAL_NAMESPACE: name,
    MONGODB_URI: fromEnvironment('CALIBRON_TEST_MONGODB'),
    MONGODB_DATABASE: name,
    MEASURE_HEARTBEAT_TIMEOUT: String(HEARTBEAT_TIMEOUT),
    // A round costs 15 ms of a core where nothing is wrong, in each laboratory, all the time.
    RECONCILE_INTERVAL: '3',
    SIMULATOR_JOURNAL: join(directory, 'journal.jsonl'),
    // Of 10,000 curves one is refused for its noise, as it should be; a test that draws it would fail for no fault.
    SIMULATOR_NOISE_SEED: 'laboratory',
    SIMULATOR_FAULTS: join(directory, 'faults.json'),
    LOG_LEVEL: 'INFO',
    ...environment,
  };
  const settings = readSettings(variables);
  // The replay has no codec.
  if (settings.PAYLOAD_KEYS || settings.PAYLOAD_CODEC) await exemptFromReplay(name);
  const cache = join(settings.DATA_DIR, 'cache');
  await symlink(await commonCache(), cache);
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  await ensureIndexes(database, domain.collections);
  const engine = connectEngine(await engineAccess(settings));
  await prepareEngine(engine);
  const { db } = database;
  const kernel = { db, engine, settings, log: createLog('test', 'SILENT') };
  const { areas, close: closeAreas } = domain.open(kernel);
  const { chips, flows, runs } = areas;
  /** The calls that start runs; the stages of these continue as new after so many events. */
  const starting = (historyLimit?: number) => createRunStarts({ db, engine, settings, areas, historyLimit });
  const seedStores = {
    state: chips.state,
    provenance: areas.provenance,
    lastEpoch: runs.locks.lastEpoch,
    timezone: settings.TIMEZONE,
  };
  const simulator = createSimulator({});
  const children: ChildProcess[] = [];
  const killChildren = () => {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  };
  process.once('exit', killChildren);
  /** When processes were killed, in milliseconds, by their number. */
  const killed = new Map<number, number>();

  async function ended(
    projectId: ProjectId,
    executionId: ExecutionId,
    timeout = PATIENCE,
  ): Promise<ExecutionDocument> {
    const began = Date.now();
    for (;;) {
      const waited = Date.now() - began;
      const execution = await areas.executions.store.get(projectId, executionId);
      if (execution && isEndStatus(execution.status)) return execution;
      if (waited > timeout)
        throw new Error(`execution ${executionId} is ${execution?.status} after ${timeout} ms`);
      // An end stays: who has waited long looks seldom, which leaves the cores to the run.
      await wait(Math.min(Math.max(waited / 10, 20), 200));
    }
  }

  const journals = journalAt(variables.SIMULATOR_JOURNAL);

  /** What the simulator noted of an execution. */
  async function journal(projectId: string, executionId: ExecutionId): Promise<JournalEntry[]> {
    return (await journals(projectId)).filter((entry) => entry.execution_id === executionId);
  }

  /** Starts one of our programs and waits until its log contains the line that it is ready. */
  async function startProcess(
    program: keyof typeof programs,
    ready: string,
    extra: Readonly<Record<string, string>>,
  ): Promise<OwnProcess> {
    const path = join(directory, `process-${children.length}.log`);
    const child = spawn(process.execPath, [programs[program]], {
      cwd: packageRoot,
      env: { ...process.env, ...variables, ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const file = createWriteStream(path);
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    const exited = once(child, 'exit');
    const log = () => readFile(path, 'utf8');
    for (const limit = Date.now() + START_LIMIT; ; ) {
      if ((await log().catch(() => '')).includes(ready)) break;
      if (child.exitCode !== null || Date.now() > limit) {
        child.kill('SIGKILL');
        throw new Error(`${program} did not start: ${await log()}`);
      }
      await wait(50);
    }
    return {
      pid: child.pid ?? 0,
      async kill() {
        child.kill('SIGKILL');
        await exited;
        if (child.pid !== undefined) killed.set(child.pid, Date.now());
      },
      async stop() {
        child.kill('SIGTERM');
        await exited;
      },
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      log,
    };
  }

  return {
    directory,
    /** The file of a stored path. */
    pathOf: (stored: string) => join(settings.CALIB_DATA_PATH, stored),
    /** Where workers of this laboratory keep the workflow bundle. */
    cache,
    settings,
    variables,
    database,
    engine,
    areas,
    runs,
    seedStores,
    chips,
    flows,
    simulator,
    ended,
    killed,

    /** Starts a worker process and waits until it serves its queues. */
    startWorker: (extra: Readonly<Record<string, string>> = {}) => startProcess('worker', '"serving"', extra),

    /** Starts an API process and waits until it listens. */
    startApi: (extra: Readonly<Record<string, string>> = {}) => startProcess('api', '"listening"', extra),

    /** Starts an updater process and waits until it serves its queue. */
    startUpdater: (extra: Readonly<Record<string, string>>) => startProcess('updater', '"serving"', extra),

    /** A project of its own with a chip, seeded with start values unless it shall stay blank. */
    async newProject(
      options: { size?: number; blank?: boolean; chipId?: string; projectId?: ProjectId } = {},
    ) {
      const projectId = options.projectId ?? projectNamed(newId());
      const chipId = options.chipId ?? 'CHIP';
      const size = options.size ?? 16;
      await addSmallTopology(settings.CONFIG_PATH);
      await chips.create(projectId, 'ada', { chip_id: chipId, size, topology_id: null });
      if (!options.blank) {
        const at = new Date();
        const qubits = await chips.allQubitIds(projectId, chipId);
        await seedQubits(
          seedStores,
          { project_id: projectId, chip_id: chipId },
          new Map(qubits.map((qid) => [qid, simulator.startValues(chipId, qid, at)])),
        );
      }
      return { projectId, chipId };
    },

    ...starting(),
    starting,

    tasksOf: (projectId: ProjectId, executionId: ExecutionId) =>
      areas.results.ofExecution(projectId, executionId),

    /** Tells the simulator what shall go wrong from now on; one that reads meanwhile finds a whole plan. */
    setFaults: (plan: FaultPlan) => replaceFile(join(directory, 'faults.json'), JSON.stringify(plan)),

    journal,
    journals,

    /** Has ada schedule runs of the flow `nightly` of a project, which is hers from then on. */
    async schedule(
      { projectId }: { projectId: ProjectId },
      wanted: z.input<typeof newSchedule>,
      timezone = 'UTC',
    ): Promise<ScheduleAnswer> {
      const { _id, ...account } = newUser({ ...ada, hashed_password: '', must_change_password: false });
      const users = db.collection<UserDocument>('users');
      await users.updateOne({ _id }, { $setOnInsert: account }, { upsert: true });
      await areas.projects.ensure(
        { user_id: _id, username: ada.username },
        { project_id: projectId, name: projectId },
      );
      const { schedules } = domain.open({ ...kernel, settings: { ...settings, TIMEZONE: timezone } }).areas;
      return schedules.create(projectId, ada, 'nightly', newSchedule.parse(wanted));
    },

    /** Schedules as the API has them, in this zone unless they name one. */
    schedules: (timezone: string) =>
      domain.open({ ...kernel, settings: { ...settings, TIMEZONE: timezone } }).areas.schedules,

    /** Waits until the simulator has begun a measurement of this execution, or as many as are requested. */
    measuring: (projectId: string, executionId: ExecutionId, count = 1) =>
      eventually(async () => {
        const begun = (await journal(projectId, executionId)).filter((entry) => entry.event === 'start');
        return begun.length >= count;
      }),

    /** Waits until no run holds the project. */
    free: (projectId: ProjectId, timeout?: number) =>
      eventually(async () => !(await runs.holder(projectId)), timeout),

    async close() {
      killChildren();
      process.off('exit', killChildren);
      await closeAreas();
      if (!keepsDatabase) await database.db.dropDatabase();
      await Promise.all([engine.close(), database.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Calls `look` until it gives something, for as long as `timeout` ms. */
export async function eventually<T>(
  look: () => Promise<T | undefined | null | false>,
  timeout = PATIENCE,
): Promise<T> {
  for (const limit = Date.now() + timeout; ; ) {
    const found = await look();
    if (found) return found;
    if (Date.now() > limit) throw new Error('it did not come about in time');
    await wait(50);
  }
}

/** A flow of one stage: the tasks on the given qubits, or on all. */
export function oneStage(tasks: readonly string[], qids?: readonly string[], options = ''): string {
  const targets = qids ? `session.targets.qubits(${JSON.stringify(qids)})` : 'session.targets.all()';
  return `export async function flow(session) {
  await session.run({ name: 'check', tasks: ${JSON.stringify(tasks)}, targets: ${targets}${options} });
}
`;
}

/** A run of the flow `nightly` that ada starts over the API. */
export function runOf(
  place: { projectId: ProjectId; chipId: string },
  executionId: ExecutionId,
): RunIdentity {
  return {
    project_id: place.projectId,
    execution_id: executionId,
    chip_id: place.chipId,
    name: 'nightly',
    user_id: userNamed('usr_ada'),
    username: 'ada',
    backend: 'simulator',
    trigger: 'api',
    tags: [],
  };
}
