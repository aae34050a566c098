import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScheduledStartActivities } from '../../activities/scheduled-start.ts';
import type { ScheduleChange } from '../../shared/domain/schedules/model.ts';
import { type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { ada } from '../support/run-starts.ts';

// No worker serves: the runs that are started wait, and the activity is called as the engine would.
let lab: Laboratory;
let scheduling: Laboratory['areas']['schedules'];
beforeAll(async () => {
  lab = await openLaboratory();
  scheduling = lab.schedules('UTC');
});
afterAll(() => lab.close());

const due = '2098-01-01T00:00:00.000Z';
const later = '2099-01-01T00:00:00.000Z';

/** A schedule that is due once, and the activity that carries it out; `meanwhile` happens after the start of the run. */
async function scheduled(
  meanwhile: (change: (wanted: ScheduleChange) => Promise<unknown>) => Promise<unknown>,
) {
  const { projectId, chipId } = await lab.newProject();
  await lab.flows.save(projectId, 'ada', {
    name: 'nightly',
    description: '',
    code: oneStage(['CheckT1'], ['0']),
    flow_function_name: 'flow',
    chip_id: chipId,
    default_parameters: {},
    default_run_parameters: {},
    tags: [],
  });
  const { schedule_id } = await lab.schedule({ projectId }, { scheduled_time: due, parameters: { a: 1 } });
  const { startScheduledRun } = createScheduledStartActivities({
    schedules: scheduling,
    runs: {
      holder: lab.runs.holder,
      async startFlow(...asked) {
        const started = await lab.runs.startFlow(...asked);
        await meanwhile((wanted) => scheduling.change(projectId, ada, schedule_id, wanted));
        return started;
      },
    },
    projects: lab.areas.projects,
    execution: lab.areas.executions.store.get,
  });
  return {
    carryOut: () => startScheduledRun({ project_id: projectId, schedule_id, due_at: due }),
    async shown() {
      const { schedules } = await scheduling.list(projectId, undefined, { limit: 1, offset: 0 });
      return schedules[0];
    },
    executions: () => lab.database.db.collection('executions').countDocuments({ project_id: projectId }),
  };
}

test('a schedule whose one time has come is over', async () => {
  const schedule = await scheduled(async () => undefined);
  await schedule.carryOut();
  expect(await schedule.shown()).toMatchObject({ active: false, last_outcome: { status: 'started' } });
});

test('a schedule that is given another time while the old one is carried out keeps the new one', async () => {
  const schedule = await scheduled((change) => change({ active: true, scheduled_time: later }));
  await schedule.carryOut();
  expect(await schedule.shown()).toMatchObject({
    active: true,
    next_run: later,
    last_outcome: { status: 'started' },
  });
});

test('a start that was cut off and is tried again after a change of the parameters is the same start', async () => {
  let tries = 0;
  const schedule = await scheduled(async (change) => {
    tries += 1;
    if (tries > 1) return;
    await change({ active: true, parameters: { a: 2 } });
    throw new Error('cut off');
  });
  await expect(schedule.carryOut()).rejects.toThrow('cut off');
  await schedule.carryOut();
  expect(await schedule.shown()).toMatchObject({
    last_outcome: {
      status: 'started',
      execution_id: expect.any(String),
      message: 'Flow nightly was started.',
    },
  });
  expect(await schedule.executions()).toBe(1);
});
