import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StartedRun } from '../../../../shared/domain/runs/model.ts';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { keyOf } from '../../../../shared/kernel/ids.ts';
import type { RunningWorkers } from '../../../../workers/workers.ts';
import { expectNobodyHolds, expectNothingLostOrDoubled } from '../../../support/failure-checks.ts';
import { projectNamed } from '../../../support/ids.ts';
import { type LabChip, type Laboratory, oneStage, openLaboratory } from '../../../support/laboratory.ts';
import { startOwnWorkers } from '../../../support/own-workers.ts';
import { repetitions } from '../../../support/repetitions.ts';

let lab: Laboratory;
let workers: RunningWorkers;

/** Runs that are cancelled at the same time, each in a project of its own. */
const AT_ONCE = 6;

/** What a run has come through: a step before and one after each of its activities. */
interface Watched {
  steps: string[];
  /** The step at which it is cancelled. */
  cancelAt: number;
}
const watched = new Map<string, Watched>();

/** As the API does it, also for an execution that is not recorded yet. */
async function cancel(lockId: string): Promise<void> {
  const projectId = projectNamed(lockId.slice(lockWorkflowId(projectNamed('')).length));
  const held = await lab.runs.holder(projectId);
  await lab.engine.client.workflow.getHandle(lockId).cancel();
  if (!held) return;
  await lab.areas.executions.store.noteCancelRequest(
    { _id: keyOf(projectId, held.execution_id) },
    new Date(),
  );
}

const watching: ActivityInterceptorsFactory = ({ info }) => {
  const workflowId = info.workflowExecution?.workflowId ?? '';
  const lockId = workflowId.split('/')[0] ?? '';
  async function comeTo(step: string): Promise<void> {
    // A busy machine may repeat an activity; that is no step of its own.
    const run = info.attempt === 1 ? watched.get(lockId) : undefined;
    run?.steps.push(step);
    if (run && run.steps.length - 1 === run.cancelAt) await cancel(lockId);
  }
  return {
    inbound: {
      async execute(input, next) {
        await comeTo(`before ${info.activityType}`);
        const answer = await next(input);
        await comeTo(`after ${info.activityType}`);
        return answer;
      },
    },
  };
};

beforeAll(async () => {
  lab = await openLaboratory();
  workers = await startOwnWorkers(lab, watching);
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
});

async function runCancelledAt(start: (place: LabChip) => Promise<StartedRun>, cancelAt: number) {
  const place = await lab.newProject({ size: 4 });
  const lockId = lockWorkflowId(place.projectId);
  const run: Watched = { steps: [], cancelAt };
  watched.set(lockId, run);
  const { execution_id, flow_run_id } = await start(place);
  const execution = await lab.ended(place.projectId, execution_id);
  await expectNobodyHolds(lab, place);
  const rows = await expectNothingLostOrDoubled(lab, place, execution_id);
  const { status } = await lab.engine.client.workflow.getHandle(lockId, flow_run_id).describe();
  const starts = (await lab.journal(place.projectId, execution_id)).filter(({ event }) => event === 'start');
  return { steps: run.steps, status: execution.status, workflow: status.name, rows, starts: starts.length };
}

/** Two tasks are enough: they give a first and a last task, and every kind of step. */
const TASKS = repetitions({ quick: ['CheckT1', 'CheckT1'], soak: ['CheckRabi', 'CheckT1', 'CheckT1'] });
const kinds: [string, (place: LabChip) => Promise<StartedRun>][] = [
  ['a flow', (place) => lab.startFlow(place, oneStage(TASKS, ['0']))],
  ['a single task', (place) => lab.startTask(place, 'CheckT1', '0')],
];

test.each(kinds)('%s can be cancelled at every one of its steps', async (_kind, start) => {
  const whole = await runCancelledAt(start, Number.POSITIVE_INFINITY);
  expect(whole).toMatchObject({ status: 'completed', workflow: 'COMPLETED' });
  const { steps } = whole;
  const lastMeasured = steps.lastIndexOf('before measure');
  const cancelled: Awaited<ReturnType<typeof runCancelledAt>>[] = [];
  while (cancelled.length < steps.length) {
    const next = steps.slice(cancelled.length, cancelled.length + AT_ONCE);
    cancelled.push(...(await Promise.all(next.map((_, i) => runCancelledAt(start, cancelled.length + i)))));
  }
  for (const [step, run] of cancelled.entries()) {
    const name = `cancelled ${steps[step]} (step ${step})`;
    expect(run.steps.filter((each) => each === 'before finalize').length, name).toBe(1);
    expect(run.workflow, name).toBe(run.status.toUpperCase());
    // One more measurement may begin before the stage learns of the cancel.
    // A record that takes long is a further step, so what counts is what this very run came through.
    const cameThrough = run.steps.slice(0, step + 1);
    const begun = cameThrough.filter((each) => each === 'before measure').length;
    expect(run.starts, name).toBeLessThanOrEqual(begun + 1);
    // The last task may be done before its stage hears of the cancel.
    if (step < lastMeasured) expect(run.status, name).toBe('cancelled');
    const kept = run.rows.filter(({ status }) => status === 'completed').length;
    expect(kept, name).toBeGreaterThanOrEqual(cameThrough.filter((each) => each === 'after measure').length);
  }
});
