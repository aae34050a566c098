import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCron } from '../../../../shared/domain/schedules/cron-rules.ts';
import { nextDueTime } from '../../../../shared/domain/schedules/due-time-rules.ts';
import { newSchedule } from '../../../../shared/domain/schedules/model.ts';
import type { ProjectId } from '../../../../shared/kernel/ids.ts';
import { type Laboratory, oneStage, openLaboratory } from '../../../support/laboratory.ts';
import { ada } from '../../../support/run-starts.ts';

// No worker serves: nothing that becomes due is carried out.
let lab: Laboratory;
let projectId: ProjectId;
beforeAll(async () => {
  lab = await openLaboratory();
  ({ projectId } = await lab.newProject());
});
afterAll(() => lab.close());

async function saveFlow(name: string): Promise<void> {
  await lab.flows.save(projectId, 'ada', {
    name,
    description: '',
    code: oneStage(['CheckT1'], ['0']),
    flow_function_name: 'flow',
    chip_id: 'CHIP',
    default_parameters: {},
    default_run_parameters: {},
    tags: [],
  });
}

test.each([
  ['0 2 * * *', 'Asia/Tokyo'],
  ['*/7 * * * *', 'UTC'],
  ['5,35 8-18/2 * * mon-fri', 'America/New_York'],
  ['0 0 13 * FRI', 'UTC'],
  ['15 4 1,15 * 3', 'Europe/Berlin'],
  ['0 0 */2 * 1', 'UTC'],
  ['0 0 29 2 *', 'UTC'],
  ['0 0 * * 7', 'Pacific/Auckland'],
  // The days on which clocks change: an hour that is left out, one that comes twice.
  ['30 1-3 25-31 3,10 0', 'Europe/Berlin'],
  ['30 0-3 8-14 3 *', 'America/New_York'],
  ['30 0-3 1-7 11 *', 'America/New_York'],
  ['30 23,0 20-31 10 *', 'America/Asuncion'],
])('the engine is due at "%s" in %s when we say so', async (cron, timezone) => {
  await saveFlow('timed');
  const before = new Date();
  const { schedule_id } = await lab
    .schedules('UTC')
    .create(projectId, ada, 'timed', newSchedule.parse({ cron, timezone }));
  const { info } = await lab.engine.client.schedule.getHandle(schedule_id).describe();
  const ours: string[] = [];
  // A due time that comes during this test is not next any more.
  const [first = before] = info.nextActionTimes;
  for (let at = new Date(first.getTime() - 1); ours.length < info.nextActionTimes.length; ) {
    const next = nextDueTime(readCron(cron), timezone, at);
    if (!next) break;
    ours.push(next.toISOString());
    at = next;
  }
  expect(info.nextActionTimes.length).toBeGreaterThan(4);
  expect(ours).toEqual(info.nextActionTimes.map((time) => time.toISOString()));
  expect(nextDueTime(readCron(cron), timezone, before)?.getTime()).toBeLessThanOrEqual(first.getTime());
});
