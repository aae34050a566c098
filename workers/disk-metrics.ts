import { statfs } from 'node:fs/promises';
import type { MetricMeter } from '@temporalio/common';
import { messageOf } from '../shared/kernel/errors.ts';
import type { Logger } from '../shared/kernel/log.ts';

/** Milliseconds between two looks at the disk. */
const INTERVAL = 15_000;

/** Sizes in blocks, as the system tells them. */
export interface DiskSpace {
  bsize: number;
  blocks: number;
  /** Blocks that users without privileges may still write. */
  bavail: number;
}

/** Exports how much room is left where figures and raw data are stored. A disk that does not answer counts as full. */
export function showDisk(
  meter: MetricMeter,
  root: string,
  log: Pick<Logger, 'warn'>,
  read: (path: string) => Promise<DiskSpace> = statfs,
): { look(): Promise<void>; end(): Promise<void> } {
  const bytes = meter.createGauge(
    'calibron_disk_free_bytes',
    'float',
    undefined,
    'Room that is left for figures and raw data.',
  );
  const ratio = meter.createGauge(
    'calibron_disk_free_ratio',
    'float',
    undefined,
    'Share of the disk of figures and raw data that is free; 0 if it cannot be read.',
  );
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const { bsize, blocks, bavail } = await read(root);
      bytes.set(bavail * bsize);
      ratio.set(blocks > 0 ? bavail / blocks : 1);
    } catch (thrown) {
      ratio.set(0);
      log.warn({ error: messageOf(thrown) }, 'the disk of the calibration data cannot be read');
    }
  }

  const next = () => {
    looking = looking.then(look);
  };
  next();
  const timer = setInterval(next, INTERVAL);
  return {
    look,
    async end() {
      clearInterval(timer);
      await looking;
    },
  };
}
