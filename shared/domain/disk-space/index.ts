import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createDiskSpace, type WatchedDirectory } from '../../kernel/disk-space.ts';
import type { DiskSpaceSettings } from './settings.ts';

const BYTES_PER_MIB = 1024 * 1024;

export type DiskSpaceOfInstallation = ReturnType<typeof diskSpace.create>;

/** Space on the disks that the installation writes to. */
export const diskSpace = defineArea({
  name: 'diskSpace',
  indexes: [],
  create({ settings }: Kernel<DiskSpaceSettings>) {
    const { CALIB_DATA_PATH, DATA_DIR, DISK_RESERVE_MIB } = settings;
    return createDiskSpace({
      reserveBytes: DISK_RESERVE_MIB * BYTES_PER_MIB,
      async directories(): Promise<WatchedDirectory[]> {
        // The engines of npm start. Those of other installations are on other machines.
        const ofEngines = [
          { path: join(DATA_DIR, 'mongodb'), title: 'the store' },
          { path: join(DATA_DIR, 'temporal'), title: 'Temporal' },
        ].filter(({ path }) => existsSync(path));
        return [{ path: CALIB_DATA_PATH, title: 'figures and raw data' }, ...ofEngines];
      },
    });
  },
});
