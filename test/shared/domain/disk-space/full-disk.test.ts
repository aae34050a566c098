import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isEndStatus, waitingReason } from '../../../../shared/domain/executions/status-rules.ts';
import type { RunProgress } from '../../../../shared/domain/runs/progress-rules.ts';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { replaceFile } from '../../../../shared/kernel/files/atomic-write.ts';
import type { ExecutionId } from '../../../../shared/kernel/ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  oneStage,
  openLaboratory,
} from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
});
afterAll(() => lab.close());

/** The engines' data would be here. The file system of /proc has no space for anybody. */
const storeDirectory = () => join(lab.directory, 'mongodb');
/** Returns when the worker knows that the disk is full: it starts runs in a project of its own until one waits. */
async function fillDisk(): Promise<void> {
  await symlink('/proc', storeDirectory());
  const spare = await lab.newProject();
  for (;;) {
    const { execution_id } = await lab.startFlow(spare, oneStage(['CheckT1'], ['0']));
    const waits = await eventually(async () => {
      const execution = await lab.areas.executions.store.get(spare.projectId, execution_id);
      if (execution?.waiting?.kind === 'disk') return 'yes';
      return execution && isEndStatus(execution.status) && 'no';
    });
    if (waits === 'yes') {
      await lab.engine.client.workflow.getHandle(lockWorkflowId(spare.projectId)).cancel();
    }
    await lab.free(spare.projectId);
    if (waits === 'yes') return;
  }
}
const freeDisk = () => rm(storeDirectory(), { force: true });

/** Waits until the execution says that it waits for space. @returns what it says */
function waitsForSpace({ projectId }: LabChip, executionId: ExecutionId): Promise<string> {
  return eventually(async () => {
    const execution = await lab.areas.executions.store.get(projectId, executionId);
    return execution?.waiting?.kind === 'disk' && waitingReason(execution);
  });
}

const statusesOf = async ({ projectId }: LabChip, executionId: ExecutionId) =>
  (await lab.tasksOf(projectId, executionId)).map(({ status }) => status);

test('a backend whose own disk is full measures again when there is space, and no task fails', async () => {
  const place = await lab.newProject();
  const journal = lab.settings.SIMULATOR_JOURNAL ?? '';
  await rm(journal, { force: true });
  await symlink('/dev/full', journal);
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], ['0', '1']));
  expect(await waitsForSpace(place, run.execution_id)).toMatch(
    /^space: the backend reports that a disk is full \(ENOSPC: no space left on device/,
  );
  await rm(journal);
  await replaceFile(journal, '');
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expect(await statusesOf(place, run.execution_id)).toEqual(Array(4).fill('completed'));
});

test('without disk space nothing is measured, the run reports it, and continues once there is space', async () => {
  const place = await lab.newProject();
  await fillDisk();
  const run = await lab.startFlow(place, oneStage(['CheckT1', 'CheckT1'], ['0', '1']));
  expect(await waitsForSpace(place, run.execution_id)).toMatch(
    /^space: the disk of the store \(.*mongodb\) has 0 MiB left, and a measurement starts with 256 MiB \(DISK_RESERVE_MIB\), since/,
  );
  const stage = lab.engine.client.workflow.getHandle(
    `${lockWorkflowId(place.projectId)}/${run.execution_id}/0`,
  );
  const progress = await stage.query<RunProgress>('progress');
  expect(progress.waiting_for).toMatch(/^space: the disk of the store/);
  expect(await lab.journal(place.projectId, run.execution_id)).toEqual([]);
  await freeDisk();
  expect(await lab.ended(place.projectId, run.execution_id)).toMatchObject({
    status: 'completed',
    waiting: null,
  });
  expect(await statusesOf(place, run.execution_id)).toEqual(Array(4).fill('completed'));
});

test('a run that waits for space can be stopped and cancelled', async () => {
  const [stopped, cancelled] = [await lab.newProject(), await lab.newProject()];
  await fillDisk();
  try {
    const flow = oneStage(['CheckT1'], ['0', '1']);
    const { execution_id: first } = await lab.startFlow(stopped, flow);
    const { execution_id: second } = await lab.startFlow(cancelled, flow);
    await waitsForSpace(stopped, first);
    await waitsForSpace(cancelled, second);
    const by = { by: 'ada' };
    await lab.engine.client.workflow
      .getHandle(lockWorkflowId(stopped.projectId))
      .signal('stop_after_current', by);
    await lab.engine.client.workflow.getHandle(lockWorkflowId(cancelled.projectId)).cancel();
    expect((await lab.ended(stopped.projectId, first)).waiting).toBeNull();
    expect((await lab.ended(cancelled.projectId, second)).status).toBe('cancelled');
    for (const [place, execution_id] of [
      [stopped, first],
      [cancelled, second],
    ] as const) {
      expect(await lab.journal(place.projectId, execution_id)).toEqual([]);
      expect(await statusesOf(place, execution_id)).not.toContain('failed');
    }
  } finally {
    await freeDisk();
  }
});
