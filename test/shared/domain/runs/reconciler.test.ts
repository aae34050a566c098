import { afterAll, beforeAll, expect, test } from 'vitest';
import { newExecution } from '../../../../shared/domain/executions/index.ts';
import type { ExecutionDocument } from '../../../../shared/domain/executions/model.ts';
import { createReconciler } from '../../../../shared/domain/runs/reconcile.ts';
import { connectEngine, engineAccess } from '../../../../shared/kernel/engine/temporal.ts';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import type { ProjectId } from '../../../../shared/kernel/ids.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { executionNamed, projectNamed } from '../../../support/ids.ts';
import { type Laboratory, openLaboratory, runOf } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

const MINUTE = 60_000;

/** Starts a run that no worker takes. */
function hold(projectId: ProjectId) {
  return lab.engine.client.workflow.start('calibrationRun', {
    workflowId: lockWorkflowId(projectId),
    taskQueue: 'nobody',
    args: [],
  });
}

/** An open execution whose workflow runs without a worker, or is unknown to the engine. */
async function open(fields: Partial<ExecutionDocument>, known: boolean): Promise<ExecutionDocument> {
  const projectId = projectNamed(newId());
  const handle = known ? await hold(projectId) : null;
  const run = runOf({ projectId, chipId: 'CHIP' }, executionNamed('20261121-000'));
  const execution: ExecutionDocument = {
    ...newExecution(run, {
      flow_run_id: handle?.firstExecutionRunId ?? newId(),
      at: new Date(Date.now() - 5 * MINUTE),
    }),
    status: 'running',
    ...fields,
  };
  await lab.areas.executions.store.insert(execution);
  return execution;
}

const statusOf = async (execution: ExecutionDocument) =>
  (await lab.areas.executions.store.get(execution.project_id, execution.execution_id))?.status;

// First, while there is but one open execution: each is asked about until the engine counts as away.
test('an engine that does not answer closes nothing', async () => {
  const execution = await open({}, false);
  const away = connectEngine(await engineAccess({ ...lab.settings, TEMPORAL_ADDRESS: '127.0.0.1:1' }));
  const reconciler = createReconciler({
    ...lab.runs,
    executions: lab.areas.executions.store,
    results: lab.areas.results,
    shortage: async () => null,
    engine: away,
  });
  const failures: string[] = [];
  await Promise.all([
    expect(reconciler.reconcile(execution)).rejects.toThrow(),
    reconciler.reconcileAll({
      failed: (each) => failures.push(each.execution_id),
      stuck: () => undefined,
    }),
  ]);
  expect(failures.length).toBeGreaterThan(0);
  expect(await statusOf(execution)).toBe('running');
  await away.close();
});

test('an execution whose workflow runs stays open', async () => {
  const execution = await open({}, true);
  expect(await lab.runs.reconciler.reconcile(execution)).toBe(false);
  expect(await statusOf(execution)).toBe('running');
});

test('what kept a run from going on is forgotten when nothing does any more', async () => {
  const trouble = { for: 'record · 0 of stage 0 to succeed', since: new Date().toISOString() };
  const execution = await open({ trouble }, true);
  await lab.runs.reconciler.reconcile(execution);
  const stored = await lab.areas.executions.store.get(execution.project_id, execution.execution_id);
  expect(stored).toMatchObject({ status: 'running', trouble: null });
});

test('a cancel that was requested directly at the engine is noted, and ends the run as any other', async () => {
  const execution = await open({}, true);
  await lab.engine.client.workflow.getHandle(lockWorkflowId(execution.project_id)).cancel();
  await lab.runs.reconciler.reconcile(execution);
  const asked = await lab.areas.executions.store.get(execution.project_id, execution.execution_id);
  expect(asked?.cancel_requested_at?.getTime()).toBeGreaterThan(Date.now() - MINUTE / 2);
  expect(await lab.runs.holder(execution.project_id)).not.toBeNull();
  await lab.runs.reconciler.reconcile({
    ...execution,
    cancel_requested_at: new Date(Date.now() - 2 * MINUTE),
  });
  expect(await lab.runs.holder(execution.project_id)).toBeNull();
});

test('an execution that the engine does not know is failed, but not while it is new', async () => {
  const old = await open({}, false);
  expect(await lab.runs.reconciler.reconcile(old)).toBe(true);
  expect(await statusOf(old)).toBe('failed');
  const fresh = await open({ created_at: new Date() }, false);
  expect(await lab.runs.reconciler.reconcile(fresh)).toBe(false);
  expect(await statusOf(fresh)).toBe('running');
});

test('a cancel that is not honoured a minute after the measurement must have ended is ended by terminate', async () => {
  const recent = await open({ cancel_requested_at: new Date(Date.now() - MINUTE / 2) }, true);
  const stuck = await open({ cancel_requested_at: new Date(Date.now() - 2 * MINUTE) }, true);
  for (const execution of [recent, stuck]) await lab.runs.reconciler.reconcile(execution);
  expect(await lab.runs.holder(recent.project_id)).not.toBeNull();
  expect(await lab.runs.holder(stuck.project_id)).toBeNull();
  expect(await lab.runs.reconciler.reconcile(stuck)).toBe(true);
  expect(await statusOf(stuck)).toBe('cancelled');
});

test('ending a cancel that was not honoured leaves the next run of the project alone', async () => {
  const stuck = await open({ cancel_requested_at: new Date(Date.now() - 2 * MINUTE) }, true);
  const { results } = lab.areas;
  const reconciler = createReconciler({
    ...lab.runs,
    executions: lab.areas.executions.store,
    shortage: async () => null,
    engine: lab.engine,
    results: {
      /** The run ends and another one begins between the look at the run and its end. */
      async latestDeadline(...asked: Parameters<typeof results.latestDeadline>) {
        await lab.engine.client.workflow.getHandle(lockWorkflowId(stuck.project_id)).terminate();
        await hold(stuck.project_id);
        return results.latestDeadline(...asked);
      },
    },
  });
  await reconciler.reconcile(stuck);
  expect(await lab.runs.holder(stuck.project_id)).not.toBeNull();
});
