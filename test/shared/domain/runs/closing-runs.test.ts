import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningWorkers } from '../../../../workers/workers.ts';
import { userNamed } from '../../../support/ids.ts';
import { type LabChip, type Laboratory, oneStage, openLaboratory } from '../../../support/laboratory.ts';
import { startOwnWorkers } from '../../../support/own-workers.ts';

let lab: Laboratory;
let workers: RunningWorkers;
let place: LabChip;
/** What the workflows that have told their end wait for before they close. */
let mayClose: Promise<void>;
let close: () => void;

const interceptor: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const answer = await next(input);
      if (info.activityType === 'finalize') await mayClose;
      return answer;
    },
  },
});
const CODE = oneStage(['CheckT1'], ['0']);

beforeAll(async () => {
  lab = await openLaboratory();
  workers = await startOwnWorkers(lab, interceptor);
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
});
beforeEach(async () => {
  mayClose = new Promise((resolve) => {
    close = resolve;
  });
  place = await lab.newProject();
  const { execution_id } = await lab.startFlow(place, CODE);
  expect((await lab.ended(place.projectId, execution_id)).status).toBe('completed');
  expect(await lab.runs.holder(place.projectId)).toMatchObject({ execution_id });
});

/** Whether something is still requested when a run that has reported its end closes. */
async function whileItCloses<Answer>(asked: Promise<Answer>): Promise<Answer> {
  const order: string[] = [];
  const answered = asked.then((answer) => {
    order.push('answered');
    return answer;
  });
  // Long enough for what does not wait.
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 300))]);
  order.push('closed');
  close();
  const answer = await answered;
  expect(order).toEqual(['closed', 'answered']);
  return answer;
}

test('who sees a run end can start the next: it begins when the first has closed', async () => {
  const next = await whileItCloses(lab.startFlow(place, CODE));
  expect((await lab.ended(place.projectId, next.execution_id)).status).toBe('completed');
});

test("after a run's end is visible, a start is reported as possible", async () => {
  const asked = lab.areas.runs.availability(place.projectId, { flow_name: 'nightly', parameters: {} });
  expect(await whileItCloses(asked)).toEqual({ available: true, reason: null });
});

test("after a run's end is visible, the project is reported as free", async () => {
  expect(await whileItCloses(lab.runs.lockStatus(place.projectId))).toMatchObject({ lock: false });
});

test('who sees a run end can change values', async () => {
  const change = lab.areas.calibrations.edits.edit(
    place.projectId,
    { _id: userNamed('ada'), username: 'ada' },
    { chip_id: place.chipId, qid: '0', parameters: { t1: 30 }, reason: '' },
  );
  await whileItCloses(change);
});

test('who sees a run end can delete the project', async () => {
  await whileItCloses(lab.areas.projects.deletion.delete(place.projectId, userNamed('ada')));
});

test('a run that does not close within seconds keeps its project, and is named', async () => {
  const start = lab.startTask(place, 'CheckT1', '0');
  await expect(start).rejects.toMatchObject({ code: 'project_busy' });
  close();
  await lab.free(place.projectId);
});
