import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { RunningWorkers } from '../../workers/workers.ts';
import { expectAllCompleted } from '../support/failure-checks.ts';
import { type LabChip, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';

const HERE = 'calibration';
const BACKEND = 'backend:simulator';

let lab: Laboratory;
let workers: RunningWorkers;
/** What a task comes to on the queue of the record keepers, in place of being carried out. */
let instead: (() => Promise<unknown>) | null = null;

beforeAll(async () => {
  lab = await openLaboratory();
  workers = await startOwnWorkers(lab, ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const isHere = info.activityType === 'measureAndRecord' && info.taskQueue === HERE;
        return isHere && instead ? instead() : next(input);
      },
    },
  }));
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
});

beforeEach(() => {
  instead = null;
});

/**
 * Runs a task twice on each of some targets, all at once, so slowly that each is an activity of its own.
 * @returns the queues on which the tasks were asked for
 */
async function queuesOf(place: LabChip, qids: readonly string[]): Promise<string[]> {
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.15 }],
  });
  const list = oneStage(['CheckT1', 'CheckT1'], qids, `, parallel: ${qids.length}`);
  const run = await lab.startFlow(place, list);
  await lab.ended(place.projectId, run.execution_id);
  expectAllCompleted(await lab.tasksOf(place.projectId, run.execution_id), 2 * qids.length);
  const stage = stageWorkflowId(place.projectId, run.execution_id, 0);
  const { events } = await lab.engine.client.workflow.getHandle(stage).fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: asked }) => {
    // On a busy machine one may be made again, which is asked for elsewhere.
    const isFirst = asked?.activityId?.endsWith(' · 1');
    return isFirst && asked?.activityType?.name === 'measureAndRecord' ? [asked.taskQueue?.name ?? ''] : [];
  });
}

test('tasks of a narrow stage begin where it is carried on, those of a wide one wherever their backend is served', async () => {
  const place = await lab.newProject();
  expect(await queuesOf(place, ['0', '1'])).toEqual([HERE, HERE, HERE, HERE]);
  await lab.free(place.projectId);
  expect(new Set(await queuesOf(place, ['0', '1', '2', '3']))).toEqual(new Set([BACKEND]));
});

test('a stage for which there is no room beside the records has its tasks made by its backend', async () => {
  instead = async () => ({ full: true });
  expect(await queuesOf(await lab.newProject(), ['0'])).toEqual([HERE, BACKEND, BACKEND]);
});

test('a stage whose record keepers do not know its tasks has them all made by its backend', async () => {
  instead = async () => {
    throw ApplicationFailure.nonRetryable('No such activity.', failureTypes.unknownActivity);
  };
  expect(await queuesOf(await lab.newProject(), ['0'])).toEqual([HERE, BACKEND, BACKEND]);
});
