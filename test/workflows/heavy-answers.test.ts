import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasureRequest, MeasureResult } from '../../activities/backends/backend.ts';
import { RESULT_LIMIT } from '../../shared/domain/backends/answer-rules.ts';
import { dataConverter } from '../../shared/kernel/engine/temporal.ts';
import { stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { expectAllCompleted } from '../support/failure-checks.ts';
import { serveBackend } from '../support/foreign-backend.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { type MongoProxy, openMongoProxy } from '../support/mongo-proxy.ts';

/** So many that a workflow task with all of their answers is more than the engine takes. */
const TARGETS = 75;
/** Bytes that the engine takes of a workflow task, with room for the requests beside the answers. */
const TASK_LIMIT = 2_500_000;

/** Milliseconds that the store takes for each command about results: more than a stage waits for a record. */
const SLOW_STORE = 500;

/** A backend whose answers obey the contract and are nearly as large as it allows, given when `release` is called. */
function heavyBackend() {
  let begun = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    begun: () => begun,
    release: () => release(),
    async measure({ targets }: MeasureRequest): Promise<MeasureResult> {
      begun += 1;
      await released;
      const found = { outputs: { t1: { value: 41.5, error: 0.5 } }, quality: { r2: 0.99 } };
      return {
        targets: Object.fromEntries(targets.map((target) => [target, found])),
        log: 'x'.repeat(RESULT_LIMIT - 4096),
      };
    },
  };
}

let lab: Laboratory;
let served: Awaited<ReturnType<typeof serveBackend>>;
let store: MongoProxy;
const backend = heavyBackend();
beforeAll(async () => {
  lab = await openLaboratory({ WORKER_QUEUES: 'calibration', MEASURE_HEARTBEAT_TIMEOUT: '120' });
  const options = { maxConcurrentActivityTaskExecutions: TARGETS };
  served = await serveBackend(lab, 'heavy', backend.measure, options);
  store = await openMongoProxy(lab.settings.MONGODB_URI, {
    decide: ({ collection }) => (collection === 'task_results' ? { after: wait(SLOW_STORE) } : 'pass'),
  });
});
afterAll(async () => {
  await served.close();
  await lab.close();
  await store.close();
});

/** Events of a workflow, those of one workflow task at a time: more of them can be more than one message takes. */
async function historyOf(workflowId: string) {
  const { workflowService } = lab.engine.connection;
  const request = { namespace: lab.engine.namespace, execution: { workflowId }, maximumPageSize: 1 };
  const pages = [await workflowService.getWorkflowExecutionHistory(request)];
  for (let token = pages[0]?.nextPageToken; token?.length; token = pages.at(-1)?.nextPageToken) {
    pages.push(await workflowService.getWorkflowExecutionHistory({ ...request, nextPageToken: token }));
  }
  return pages.flatMap(({ history }) => history?.events ?? []);
}

test('answers of 60 KB that all come while the record keepers are away are recorded, a few at a time', async () => {
  const keeper = await lab.startWorker();
  const place = await lab.newProject({ size: 144 });
  const qids = Array.from({ length: TARGETS }, (_, qid) => String(qid));
  const code = oneStage(['CheckT1'], qids, `, parallel: ${TARGETS}`);
  const run = await lab.startFlow(place, code, { backend: 'heavy' });
  await eventually(async () => backend.begun() === TARGETS);
  await keeper.stop();
  backend.release();
  const stage = lab.engine.client.workflow.getHandle(stageWorkflowId(place.projectId, run.execution_id, 0));
  await eventually(async () => {
    const { raw } = await stage.describe();
    return (raw.pendingActivities ?? []).length === 0;
  });
  // Otherwise a fast machine records most answers within the stage, and few of them go to the normal activity.
  await lab.startWorker({ MONGODB_URI: store.uri });
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expectAllCompleted(await lab.tasksOf(place.projectId, run.execution_id), TARGETS);

  const events = await historyOf(stage.workflowId);
  const weights = new Map<string, number>();
  for (const { activityTaskScheduledEventAttributes: scheduled } of events) {
    if (!scheduled) continue;
    const task = String(scheduled.workflowTaskCompletedEventId);
    const bytes = (scheduled.input?.payloads ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    weights.set(task, (weights.get(task) ?? 0) + bytes);
  }
  const all = [...weights.values()].reduce((sum, bytes) => sum + bytes, 0);
  expect(all, 'more answers went to the records than one workflow task may carry').toBeGreaterThan(
    TASK_LIMIT,
  );
  expect(Math.max(...weights.values())).toBeLessThan(TASK_LIMIT);
  // Which answers wait, and for which others, follows from the history alone.
  await Worker.runReplayHistory(
    {
      workflowBundle: { codePath: await workflowBundle(lab.cache) },
      dataConverter,
    },
    { events },
  );
}, 300_000);
