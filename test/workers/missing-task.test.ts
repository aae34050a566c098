import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitingReason } from '../../shared/domain/executions/status-rules.ts';
import { lockWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { type RunningWorkers, startWorkers } from '../../workers/workers.ts';
import { executionNamed } from '../support/ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';

let lab: Laboratory;
let running: RunningWorkers | undefined;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(async () => {
  await running?.stop();
  await lab.close();
});

/** Replaces the workers with those of a release that lacks these tasks. */
function deployWithout(...missing: string[]): Promise<void> {
  return deploy(`without ${missing.join(' ') || 'nothing'}`, (name) =>
    missing.includes(name) ? undefined : findTask(name),
  );
}

/** Replaces the workers with those of a release that has these tasks. */
async function deploy(identity: string, findTaskOfRelease: typeof findTask): Promise<void> {
  await running?.stop();
  running = await startWorkers({
    ...lab,
    db: lab.database.db,
    log: createLog('test', 'SILENT'),
    bundlePath: await workflowBundle(lab.cache),
    identity,
    findTask: findTaskOfRelease,
  });
}

const handleOf = ({ projectId }: LabChip) => lab.engine.client.workflow.getHandle(lockWorkflowId(projectId));

/** Starts a run, and waits until the release that planned it measures its first task on both qubits. */
async function startMeasuring(place: LabChip): Promise<string> {
  const { projectId: project_id } = place;
  await lab.setFaults({ rules: [{ behaviour: 'slow', match: { project_id }, seconds: 600 }] });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1', 'CheckT2Echo'], ['0', '1']));
  await eventually(async () => (await lab.journal(project_id, run.execution_id)).length === 2);
  await lab.setFaults({ rules: [] });
  return run.execution_id;
}

/** Waits until the execution says that its release lacks a task. @returns what it says */
function waitsForRelease({ projectId }: LabChip, executionId: ExecutionId): Promise<string> {
  return eventually(async () => {
    const execution = await lab.areas.executions.store.get(projectId, executionId);
    return execution?.waiting?.kind === 'release' && waitingReason(execution);
  });
}

const endsOf = async ({ projectId }: LabChip, executionId: ExecutionId) =>
  (await lab.tasksOf(projectId, executionId)).map(({ name, status }) => `${name} ${status}`).sort();

test('a run whose next task is not in the release waits, and goes on in a release that has it', async () => {
  await deployWithout();
  const place = await lab.newProject();
  const execution = await startMeasuring(place);
  await deployWithout('CheckT1');
  expect(await waitsForRelease(place, executionNamed(execution))).toMatch(
    /^task CheckT1, which is not in this release: go back to a release that has it, or stop the run, since/,
  );
  await deployWithout();
  expect(await lab.ended(place.projectId, executionNamed(execution))).toMatchObject({
    status: 'completed',
    waiting: null,
  });
  expect(await endsOf(place, executionNamed(execution))).toEqual(
    ['CheckRabi', 'CheckT1', 'CheckT2Echo'].flatMap((name) => Array(2).fill(`${name} completed`)),
  );
});

test('a run parameter that a release has renamed is waited for like a task that it lacks', async () => {
  await deployWithout();
  const place = await lab.newProject();
  const execution = await startMeasuring(place);
  await deploy('renamed', (name) => {
    const task = findTask(name);
    if (task?.name !== 'CheckT1') return task;
    const { time_range, ...others } = task.runParameters;
    return time_range && { ...task, runParameters: { ...others, delay_range: time_range } };
  });
  expect(await waitsForRelease(place, executionNamed(execution))).toMatch(
    /^task CheckT1 with its planned run parameter time_range, which is not in this release: go back/,
  );
  await deployWithout();
  expect((await lab.ended(place.projectId, executionNamed(execution))).status).toBe('completed');
  expect(await endsOf(place, executionNamed(execution))).toEqual(
    ['CheckRabi', 'CheckT1', 'CheckT2Echo'].flatMap((name) => Array(2).fill(`${name} completed`)),
  );
});

test('a run that waits for a release can be stopped and cancelled, and no task of it fails', async () => {
  await deployWithout();
  const [stopped, cancelled] = [await lab.newProject(), await lab.newProject()];
  const first = await startMeasuring(stopped);
  const second = await startMeasuring(cancelled);
  await deployWithout('CheckT1');
  for (const [place, execution] of [
    [stopped, first],
    [cancelled, second],
  ] as const) {
    await waitsForRelease(place, executionNamed(execution));
    // Of both qubits, so that no measurement is under way when the run ends.
    await eventually(async () => {
      const ends = await endsOf(place, executionNamed(execution));
      return ends.filter((end) => end === 'CheckRabi completed').length === 2;
    });
  }
  await handleOf(stopped).signal('stop_after_current', { by: 'ada' });
  await handleOf(cancelled).cancel();
  expect((await lab.ended(stopped.projectId, executionNamed(first))).waiting).toBeNull();
  expect((await lab.ended(cancelled.projectId, executionNamed(second))).status).toBe('cancelled');
  expect(await endsOf(stopped, executionNamed(first))).toEqual([
    ...Array(2).fill('CheckRabi completed'),
    ...Array(2).fill('CheckT2Echo skipped'),
  ]);
  expect(await endsOf(cancelled, executionNamed(second))).toEqual(Array(2).fill('CheckRabi completed'));
});

test('a measurement is kept for a release that has its task when it is recorded by one that lacks it', async () => {
  await deployWithout();
  const place = await lab.newProject();
  const { projectId: project_id } = place;
  await lab.setFaults({ rules: [{ behaviour: 'slow', match: { project_id }, seconds: 600 }] });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await eventually(async () => (await lab.journal(project_id, run.execution_id)).length > 0);
  await lab.setFaults({ rules: [] });
  // The measurement that is under way is repeated, and then recorded, by this release.
  await deployWithout('CheckT1');
  await eventually(async () => {
    const execution = await lab.areas.executions.store.get(project_id, run.execution_id);
    return execution?.trouble?.kind === 'release';
  });
  await deployWithout();
  expect((await lab.ended(project_id, run.execution_id)).status).toBe('completed');
  expect(await endsOf(place, run.execution_id)).toEqual(['CheckT1 completed']);
});
