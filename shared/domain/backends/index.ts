import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Configuration } from '../configuration/index.ts';
import { backendsFile, readBackendSettings, usableBy } from './backend-settings.ts';
import { createTaskListing } from './listing.ts';
import { heartbeatTimeoutsOf } from './rules.ts';
import type { MeasuringSettings } from './settings.ts';

export type Backends = ReturnType<typeof backends.create>;

/** The backends of an installation and the tasks that they offer. */
export const backends = defineArea({
  name: 'backends',
  indexes: [],
  create({
    settings,
    configuration,
  }: Kernel<MeasuringSettings> & { configuration: Pick<Configuration, 'follow'> }) {
    const { DEFAULT_BACKEND, CONFIG_PATH, MEASURE_HEARTBEAT_TIMEOUT } = settings;
    const declared = configuration.follow(backendsFile(DEFAULT_BACKEND), () =>
      readBackendSettings(DEFAULT_BACKEND, CONFIG_PATH),
    );
    /** What members of these projects may list, according to the configuration as last reloaded. */
    const listing = async (projectIds: readonly string[]) =>
      createTaskListing(usableBy(await declared(), projectIds));
    return {
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
      offers: async (projectId: string): Promise<Readonly<Record<string, { tasks: readonly string[] }>>> =>
        (await listing([projectId])).config().backends,
    };
  },
});
