import { number, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of the space on disks. */
export const diskSpaceSettings = {
  DISK_RESERVE_MIB: number
    .min(0, 'must not be negative')
    .default(256)
    .describe(
      'MiB that must be free on the disks of CALIB_DATA_PATH and of the embedded store for a new measurement to start; with less, runs wait.',
    ),
};
export type DiskSpaceSettings = SettingsOf<typeof diskSpaceSettings>;
