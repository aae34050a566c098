import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { type KnownTasks, knownTasks } from '../../tasks/known-tasks.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import { SIMULATOR_BACKEND } from '../../tasks/model.ts';
import { definitionOf, type OwnTask } from '../../tasks/own-tasks.ts';
import type { Configuration } from '../configuration/index.ts';
import { backendsFile, readBackendSettings, usableBy } from './backend-settings.ts';
import { createTaskListing } from './listing.ts';
import { createOwnTaskStore, ownTaskIndexes } from './own-task-store.ts';
import { heartbeatTimeoutsOf } from './rules.ts';
import type { MeasuringSettings } from './settings.ts';

export type Backends = ReturnType<typeof backends.create>;

/** The backends of an installation and the tasks that they offer. */
export const backends = defineArea({
  name: 'backends',
  indexes: ownTaskIndexes,
  create({
    db,
    settings,
    configuration,
  }: Kernel<MeasuringSettings> & { configuration: Pick<Configuration, 'follow'> }) {
    const { DEFAULT_BACKEND, CONFIG_PATH, MEASURE_HEARTBEAT_TIMEOUT } = settings;
    const declared = configuration.follow(backendsFile(DEFAULT_BACKEND), () =>
      readBackendSettings(DEFAULT_BACKEND, CONFIG_PATH),
    );
    const ownTasks = createOwnTaskStore(db);
    /** The tasks that these backends declare, as the catalog would have them. */
    const ownTasksOf = async (names: readonly string[]): Promise<TaskDefinition[]> => {
      const own = names.filter((name) => name !== SIMULATOR_BACKEND);
      const tasks = await Promise.all(
        own.map(async (name) => (await ownTasks.current(name)).map((task) => definitionOf(name, task))),
      );
      return tasks.flat();
    };
    /** The tasks that backends declare which members of these projects may use. */
    const declaredFor = async (projectIds: readonly ProjectId[]): Promise<TaskDefinition[]> =>
      ownTasksOf(Object.keys(usableBy(await declared(), projectIds).backends).sort());
    /** What members of these projects may list, according to the configuration as last reloaded. */
    const listing = async (projectIds: readonly ProjectId[]) =>
      createTaskListing(usableBy(await declared(), projectIds), await declaredFor(projectIds));
    return {
      /** Notes what a worker of a backend declared when it described itself. */
      noteOwnTasks: (backend: string, tasks: readonly OwnTask[], at: Date): Promise<void> =>
        ownTasks.note(backend, tasks, at),
      /** A declared task as a plan pinned it; undefined if it was never declared so. */
      async pinnedTask(backend: string, name: string, hash: string): Promise<TaskDefinition | undefined> {
        const task = await ownTasks.pinned(backend, { name, hash });
        return task ? definitionOf(backend, task) : undefined;
      },
      /** The tasks that the backends of a project declare. */
      ownTasksOf: (projectId: ProjectId): Promise<TaskDefinition[]> => declaredFor([projectId]),
      /** The tasks that a project can run. */
      tasksOf: async (projectId: ProjectId): Promise<KnownTasks> =>
        knownTasks(await declaredFor([projectId])),
      /** @throws SettingsError when the declaration of the backends is invalid */
      prepare: async (): Promise<void> => void (await declared()),
      listing,
      /** Names of all declared backends. */
      names: async (): Promise<readonly string[]> => Object.keys((await declared()).backends),
      /** Seconds without a heartbeat after which a worker that measures this task on this backend counts as dead. */
      heartbeatTimeout: async (backend: string, task: string): Promise<number> =>
        heartbeatTimeoutsOf(await declared(), backend, MEASURE_HEARTBEAT_TIMEOUT).of(task),
      /** The longest heartbeat timeout of a backend. */
      longestHeartbeatTimeout: async (backend: string): Promise<number> =>
        heartbeatTimeoutsOf(await declared(), backend, MEASURE_HEARTBEAT_TIMEOUT).longest,
      /** Each backend that a project may use, with the tasks that it offers. */
      offers: async (projectId: ProjectId): Promise<Readonly<Record<string, { tasks: readonly string[] }>>> =>
        (await listing([projectId])).config().backends,
    };
  },
});
