import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ParsingPool } from '../parsing/index.ts';
import { createConfiguration } from './configuration.ts';
import type { ChipOfProject } from './rules.ts';
import type { ConfigurationSettings } from './settings.ts';
import { configurationIndexes } from './store.ts';
import { publicSettingsOf } from './wire.ts';
import { readWiring } from './wiring-file.ts';

export { createChipFolderMigration } from './chip-folder-migration.ts';
export { publicSettingsOf } from './wire.ts';

export type Configuration = ReturnType<typeof configuration.create>;

/** The configuration files of an installation, and the settings visible to clients. */
export const configuration = defineArea({
  name: 'configuration',
  indexes: [configurationIndexes],
  create({ db, log, settings, parsing }: Kernel<ConfigurationSettings> & { parsing: ParsingPool }) {
    const remote = {
      url: settings.CONFIG_REPO_URL ?? null,
      user: settings.CONFIG_REPO_USER,
      token: settings.CONFIG_REPO_TOKEN ?? null,
    };
    return {
      ...createConfiguration({ db, log, parsing, directory: settings.CONFIG_PATH, remote, limits: settings }),
      publicSettings: publicSettingsOf(settings),
      /** The wiring of a chip, as read by {@link readWiring}. */
      wiring: (chip: ChipOfProject, muxIds?: readonly string[]) =>
        readWiring(settings.CONFIG_PATH, chip, muxIds),
    };
  },
});
