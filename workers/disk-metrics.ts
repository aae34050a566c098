import type { MetricMeter } from '@temporalio/common';
import { type DiskSpace, type RoomLeft, roomOf } from '../shared/kernel/disk-space.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { type Looking, lookEvery } from './looking.ts';

/** Milliseconds between two checks of the disk. */
const INTERVAL = 15_000;

export interface ShownDisk {
  meter: MetricMeter;
  /** Directory of figures and raw data. */
  root: string;
  shortage: DiskSpace['shortage'];
  log: Pick<Logger, 'warn'>;
  read?: (path: string) => Promise<RoomLeft>;
}

/**
 * Exports how much room is left where figures and raw data are stored, and whether measurements wait for some. A disk that does
 * not answer counts as full.
 */
export function showDisk({ meter, root, shortage, log, read = roomOf }: ShownDisk): Looking {
  const gauge = (name: string, description: string) =>
    meter.createGauge(name, 'float', undefined, description);
  const bytes = gauge('calibron_disk_free_bytes', 'Room that is left for figures and raw data.');
  const ratio = gauge(
    'calibron_disk_free_ratio',
    'Share of the disk of figures and raw data that is free; 0 if it cannot be read.',
  );
  const inodes = gauge(
    'calibron_disk_free_inodes_ratio',
    'Share of the files that the disk of figures and raw data may have and does not have yet.',
  );
  const short = gauge('calibron_disk_short', '1 while a disk has no space left for new measurements.');

  async function look(): Promise<void> {
    try {
      const { freeBytes, totalBytes, freeInodes, totalInodes } = await read(root);
      bytes.set(freeBytes);
      ratio.set(totalBytes > 0 ? freeBytes / totalBytes : 1);
      inodes.set(totalInodes > 0 ? freeInodes / totalInodes : 1);
    } catch (thrown) {
      ratio.set(0);
      log.warn({ error: messageOf(thrown) }, 'the disk of the calibration data cannot be read');
    }
    short.set(Number((await shortage()) !== null));
  }

  return lookEvery(INTERVAL, look);
}
