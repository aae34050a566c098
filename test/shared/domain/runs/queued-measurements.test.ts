import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { serveBackend } from '../../../support/foreign-backend.ts';
import { eventually, type LabChip, type Laboratory, oneStage } from '../../../support/laboratory.ts';

const BACKEND = 'one-at-a-time';
const QIDS = ['0', '1', '2', '3', '4', '5'];

let lab: Laboratory;
let backend: Awaited<ReturnType<typeof serveBackend>>;
/** Targets that the instrument measured, in order, and those whose measurement was let go. */
const begun: string[] = [];
let release = () => {};

beforeAll(async () => {
  lab = await commonLaboratory();
  // An instrument that measures one target at a time, as those of most labs do.
  backend = await serveBackend(
    lab,
    BACKEND,
    async ({ targets }) => {
      begun.push(...targets);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return {
        targets: Object.fromEntries(
          targets.map((qid) => [qid, { outputs: { t1: { value: 42, error: 1 } } }]),
        ),
      };
    },
    { maxConcurrentActivityTaskExecutions: 1 },
  );
});
afterAll(async () => {
  release();
  await backend?.close();
});

/** Starts a stage of all targets, and waits until one is measured and all others are in the backend's queue. */
async function measuringOne(place: LabChip) {
  begun.length = 0;
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], QIDS), { backend: BACKEND });
  const stage = () =>
    lab.engine.client.workflow.list({ query: `WorkflowType = 'stage' AND ProjectId = '${place.projectId}'` });
  await eventually(async () => {
    for await (const { workflowId, runId } of stage()) {
      const { raw } = await lab.engine.client.workflow.getHandle(workflowId, runId).describe();
      const pending = (raw.pendingActivities ?? []).filter(
        ({ activityType }) => activityType?.name === 'measure',
      );
      if (begun.length === 1 && pending.length === QIDS.length) return true;
    }
    return false;
  });
  return run;
}

test('a stop takes back the measurements in the queue of the backend, and the one under way is recorded', async () => {
  const place = await lab.newProject();
  const run = await measuringOne(place);
  await lab.runs.control.stop(place.projectId, run.execution_id, 'ada');
  await eventually(async () => {
    const { raw } = await lab.engine.client.workflow
      .getHandle(lockWorkflowId(place.projectId), run.flow_run_id)
      .describe();
    const [child] = raw.pendingChildren ?? [];
    const stage = await lab.engine.client.workflow.getHandle(child?.workflowId ?? '').describe();
    return (stage.raw.pendingActivities ?? []).length === 1;
  });
  release();
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('ada stopped the run. 1 of 12 tasks completed, 11 skipped.');
  expect(begun).toHaveLength(1);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expect(rows.filter(({ status }) => status === 'completed').map(({ qid }) => qid)).toEqual(begun);
  const others = rows.filter(({ status }) => status !== 'completed');
  expect(new Set(others.map(({ status, message }) => `${status}: ${message}`))).toEqual(
    new Set(['skipped: Skipped, because ada stopped the run.']),
  );
  expect(others).toHaveLength(11);
});
