import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import type { ProjectId } from '../../../shared/kernel/ids.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { serveBackend } from '../../support/foreign-backend.ts';
import { type Laboratory, oneStage } from '../../support/laboratory.ts';

const HOUR = 3_600_000;

let lab: Laboratory;
let served: Awaited<ReturnType<typeof serveBackend>>;
/** What the backend's clock is ahead, in milliseconds, and how it writes a time. */
let clock = { ahead: 0, write: (time: Date) => time.toISOString() };
let t1 = 40;

beforeAll(async () => {
  lab = await commonLaboratory();
  served = await serveBackend(lab, 'clocks', async ({ targets }: MeasureRequest) => {
    const time = clock.write(new Date(Date.now() + clock.ahead));
    const value = { outputs: { t1: { value: t1, error: 0.5 } }, quality: { r2: 0.99 } };
    return {
      targets: Object.fromEntries(targets.map((qid) => [qid, value])),
      ...{ started_at: time, finished_at: time },
    };
  });
});
afterAll(() => served.close());

async function measure(place: { projectId: ProjectId; chipId: string }) {
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: 'clocks' });
  await lab.ended(place.projectId, run.execution_id);
  const [task] = await lab.tasksOf(place.projectId, run.execution_id);
  return task ?? expect.fail('nothing was measured');
}

test('a result of a clock that is nine hours ahead does not hide a newer one, and its task reports the offset', async () => {
  const place = await lab.newProject();
  clock = { ahead: 9 * HOUR, write: (time) => time.toISOString() };
  const early = await measure(place);
  [clock, t1] = [{ ahead: 0, write: (time) => time.toISOString() }, 41];
  const newer = await measure(place);
  expect(early.start_at?.getTime()).toBeLessThanOrEqual(early.end_at?.getTime() ?? 0);
  expect(early.end_at?.getTime()).toBeLessThan(newer.end_at?.getTime() ?? 0);
  expect(early.message).toMatch(/clock of its backend is (9 h|8 h 59 min) .*ahead of ours/);
  expect(Number(early.note['backend_clock_offset_seconds'])).toBeCloseTo(9 * 3600, -2);
  expect(newer.message).toBe('CheckT1 is completed.');
  const latest = await lab.areas.results.latestByTarget(place.projectId, place.chipId, 'CheckT1');
  expect(latest.get('0')?.task_id).toBe(newer.task_id);
});

test('a time without an offset is read as UTC', async () => {
  clock = { ahead: 0, write: (time) => time.toISOString().replace('Z', '') };
  const task = await measure(await lab.newProject());
  expect(task.message).toBe('CheckT1 is completed.');
  expect(task.note['backend_clock_offset_seconds']).toBe('0');
});
