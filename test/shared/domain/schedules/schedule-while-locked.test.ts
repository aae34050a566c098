import { beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../../../shared/domain/runs/model.ts';
import { NO_EXECUTION } from '../../../../shared/kernel/ids.ts';
import { type CommonLaboratory, commonLaboratory } from '../../../support/common-laboratory.ts';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../../../support/failure-checks.ts';

import { eventually, type LabChip, type Laboratory, oneStage } from '../../../support/laboratory.ts';

let lab: CommonLaboratory;
let scheduling: ReturnType<Laboratory['schedules']>;
beforeAll(async () => {
  lab = await commonLaboratory();
  scheduling = lab.schedules('UTC');
});

const never = '0 0 1 1 *';
const code = oneStage(['CheckT1'], ['0']);

/** A project that a run holds until it is cancelled. */
async function heldProject(): Promise<{ place: LabChip; holder: StartedRun }> {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const holder = await lab.startFlow(place, code);
  await lab.measuring(place.projectId, holder.execution_id);
  return { place, holder };
}

async function letGo(place: LabChip, holder: StartedRun): Promise<void> {
  await lab.setFaults({ rules: [] });
  await lab.runs.control.cancel(place.projectId, holder.flow_run_id);
  await lab.ended(place.projectId, holder.execution_id);
  await lab.free(place.projectId);
}

const dueNow = (scheduleId: string) => lab.engine.client.schedule.getHandle(scheduleId).trigger();

async function only({ projectId }: LabChip) {
  const { schedules } = await scheduling.list(projectId, undefined, { limit: 2, offset: 0 });
  expect(schedules).toHaveLength(1);
  const [schedule] = schedules;
  if (!schedule) throw new Error('there is no schedule');
  return schedule;
}

const outcomeOf = (place: LabChip) => eventually(async () => (await only(place)).last_outcome);

const executionsOf = ({ projectId }: LabChip) =>
  lab.database.db.collection('executions').countDocuments({ project_id: projectId });

test('a schedule that is due while a run holds the project is skipped, names the holder and stays', async () => {
  const { place, holder } = await heldProject();
  const { schedule_id } = await lab.schedule(place, { cron: never });
  await dueNow(schedule_id);
  expect(await outcomeOf(place)).toMatchObject({
    status: 'skipped',
    held_by: holder.execution_id,
    execution_id: null,
    message: `The project was held by execution ${holder.execution_id}.`,
  });
  expect(await only(place)).toMatchObject({ active: true, next_run: expect.stringContaining('-01-01T') });
  expect(await executionsOf(place)).toBe(1);
  await letGo(place, holder);
  await dueNow(schedule_id);
  const started = await eventually(async () => {
    const { last_outcome } = await only(place);
    return last_outcome?.status === 'started' ? last_outcome : null;
  });
  await lab.ended(place.projectId, started.execution_id ?? NO_EXECUTION);
  expectAllCompleted(await expectNothingLostOrDoubled(lab, place, started.execution_id ?? NO_EXECUTION), 1);
  await expectNobodyHolds(lab, place);
});

test('a time that comes once, while no worker serves and a run holds the project, is noted as skipped and over', async () => {
  const { place, holder } = await heldProject();
  await lab.worker.kill();
  const due = Date.now() + 5000;
  await lab.schedule(place, { scheduled_time: new Date(due).toISOString() });
  await eventually(async () => Date.now() > due);
  await lab.worker.start();
  expect(await outcomeOf(place)).toMatchObject({ status: 'skipped', held_by: holder.execution_id });
  expect(await only(place)).toMatchObject({ active: false, next_run: null });
  await letGo(place, holder);
  expect(await executionsOf(place)).toBe(1);
  await expectNobodyHolds(lab, place);
});
