import { beforeAll, expect, test } from 'vitest';
import { isEndStatus } from '../../shared/domain/executions/status-rules.ts';
import { messageNames } from '../../shared/kernel/engine/message-names.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import {
  expectAllCompleted,
  expectNobodyHolds,
  expectNothingLostOrDoubled,
} from '../support/failure-checks.ts';
import { type Laboratory, oneStage } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  // So small that each step of a stage, and each half of a long step, is a run of its own.
  lab = await commonLaboratory({ historyLimit: 50 });
});

const qids = ['0', '1', '2', '3', '4', '5', '6', '7'];
const steps = [
  [['0', '1'], ['2', '3'], ['4']],
  [['5', '6'], ['7']],
];
const TASKS = 24;
/** Runs of the stage's chain that the signals go on for. */
const LINKS = 3;

/** A run of a stage that continues as new many times, with pauses and resumes coming in all the time. */
async function runUnderSignals(last: 'resume' | 'stop' | 'cancel') {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.05 }],
  });
  const run = await lab.startFlow(
    place,
    oneStage(['CheckRabi', 'CheckT1', 'CheckT1'], qids, `, parallel: 3, schedule: ${JSON.stringify(steps)}`),
  );
  const handle = lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId));
  const stage = lab.engine.client.workflow.getHandle(stageWorkflowId(place.projectId, run.execution_id, 0));
  const links = new Set<string>();
  const watched = async () => {
    const stored = await lab.areas.executions.store.get(place.projectId, run.execution_id);
    if (stored && isEndStatus(stored.status)) return false;
    links.add((await stage.describe().catch(() => null))?.runId ?? '');
    return true;
  };
  await lab.measuring(place.projectId, run.execution_id);
  for (let turn = 0; (await watched()) && links.size < LINKS; turn += 1) {
    const holder = await lab.runs.holder(place.projectId);
    if (holder) expect(holder.execution_id).toBe(run.execution_id);
    else
      expect((await lab.areas.executions.store.get(place.projectId, run.execution_id))?.status).toBe(
        'completed',
      );
    // Refused once the run has ended.
    await handle.signal(turn % 2 === 0 ? messageNames.pause : messageNames.resume).catch(() => undefined);
  }
  // Said once: none of these may be lost.
  if (last === 'cancel') await handle.cancel();
  if (last === 'stop') await handle.signal(messageNames.stopAfterCurrent);
  if (last === 'resume') await handle.signal(messageNames.resume);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(links.size).toBe(LINKS);
  const rows = await expectNothingLostOrDoubled(lab, place, run.execution_id);
  await expectNobodyHolds(lab, place);
  return { execution, rows, count: (status: string) => rows.filter((row) => row.status === status).length };
}

test('pauses and resumes at the ends of pages and steps lose no task, and the project is never free', async () => {
  const { execution, rows } = await runUnderSignals('resume');
  expect(execution.status).toBe('completed');
  expectAllCompleted(rows, TASKS);
});

test('a stop among pauses and resumes at the ends of pages leaves each task done or skipped', async () => {
  const { execution, rows, count } = await runUnderSignals('stop');
  expect(execution.status).toBe('completed');
  expect(rows).toHaveLength(TASKS);
  expect(count('completed') + count('skipped')).toBe(TASKS);
  expect(count('skipped')).toBeGreaterThan(0);
});

test('a cancel among pauses and resumes at the ends of pages ends the run', async () => {
  const { execution, count } = await runUnderSignals('cancel');
  expect(execution.status).toBe('cancelled');
  expect(count('failed') + count('skipped')).toBe(0);
});
