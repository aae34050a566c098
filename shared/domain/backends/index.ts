import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Configuration } from '../configuration/index.ts';
import { backendsFile, readBackendSettings } from './backend-settings.ts';
import { createTaskListing } from './listing.ts';

export type Backends = ReturnType<typeof backends.create>;

/** The backends of an installation and the tasks that they offer. */
export const backends = defineArea({
  name: 'backends',
  indexes: [],
  create({ settings, configuration }: Kernel & { configuration: Pick<Configuration, 'follow'> }) {
    const { DEFAULT_BACKEND, CONFIG_PATH } = settings;
    const listing = configuration.follow(backendsFile(DEFAULT_BACKEND), async () =>
      createTaskListing(await readBackendSettings(DEFAULT_BACKEND, CONFIG_PATH)),
    );
    return {
      /** What clients may list, as the configuration says since it was last reloaded. */
      listing,
      /** Each backend with the tasks that it offers. */
      offers: async (): Promise<Readonly<Record<string, { tasks: readonly string[] }>>> =>
        (await listing()).config().backends,
    };
  },
});
