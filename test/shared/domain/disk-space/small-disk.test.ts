import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitingSentence } from '../../../../shared/domain/executions/status-rules.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  oneStage,
  openLaboratory,
} from '../../../support/laboratory.ts';

const MIB = 1024 * 1024;

const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'ignore' });
const unmount = (path: string) => execFileSync('umount', ['--lazy', path], { stdio: 'ignore' });

/** A disk of 32 MiB and 2,000 files; null where this process may not mount one. full-disk.test.ts does without. */
async function smallDisk(): Promise<string | null> {
  const path = await mkdtemp(join(tmpdir(), 'calibron-disk-'));
  try {
    mount('-t', 'tmpfs', '-o', 'size=32m,nr_inodes=2000', 'tmpfs', path);
    return path;
  } catch {
    await rm(path, { recursive: true });
    return null;
  }
}

const disk = await smallDisk();
let lab: Laboratory;
beforeAll(async () => {
  if (disk === null) return;
  lab = await openLaboratory({
    CALIB_DATA_PATH: join(disk, 'calib_data'),
    DISK_RESERVE_MIB: '4',
    SIMULATOR_SECONDS: '0.5',
  });
  await lab.startWorker();
});
afterAll(async () => {
  if (disk === null) return;
  await lab.close();
  unmount(disk);
  await rm(disk, { recursive: true });
});

async function waitsFor({ projectId }: LabChip, executionId: string, what: RegExp): Promise<void> {
  await eventually(async () => {
    const execution = await lab.areas.executions.store.get(projectId, executionId);
    return execution !== null && what.test(waitingSentence(execution) ?? '');
  });
}

test.skipIf(disk === null)(
  'a run waits while the real disk is full, without inodes or read-only, and completes afterwards',
  async () => {
    if (disk === null) throw new Error('no disk');
    const place = await lab.newProject();
    // 120 measurements one after another: it is still under way whenever the disk changes.
    const tasks = Array.from({ length: 60 }, () => 'CheckT1');
    const { execution_id } = await lab.startFlow(place, oneStage(tasks, ['0', '1']));
    await lab.measuring(place.projectId, execution_id);

    const filler = join(disk, 'filler');
    await writeFile(filler, Buffer.alloc(32 * MIB)).catch(() => undefined);
    await waitsFor(place, execution_id, /^space: .*(has 0 MiB left|is full)/);
    await rm(filler);

    await waitsFor(place, execution_id, /^(?!space)|^$/);
    await mkdir(join(disk, 'many'));
    for (let n = 0; n < 2000; n += 1) {
      if (
        !(await writeFile(join(disk, 'many', String(n)), '').then(
          () => true,
          () => false,
        ))
      )
        break;
    }
    await waitsFor(place, execution_id, /^space: .*(has room for \d+ more files|is full)/);
    await rm(join(disk, 'many'), { recursive: true });

    await waitsFor(place, execution_id, /^(?!space)|^$/);
    mount('-o', 'remount,ro', disk);
    await waitsFor(place, execution_id, /^space: .*is read-only/);
    mount('-o', 'remount,rw', disk);

    expect((await lab.ended(place.projectId, execution_id)).status).toBe('completed');
    const results = await lab.tasksOf(place.projectId, execution_id);
    expect(results.map(({ status }) => status)).toEqual(Array(120).fill('completed'));
    expect(results.filter(({ attempt }) => attempt > 1)).toEqual([]);
  },
);
