import { beforeAll, expect, test } from 'vitest';
import { maintenanceDecisionList } from '../../../../shared/domain/maintenance/model.ts';
import { startedRun } from '../../../../shared/domain/runs/model.ts';
import type { ExecutionId, ProjectId } from '../../../../shared/kernel/ids.ts';
import { type CommonLaboratory, commonLaboratory } from '../../../support/common-laboratory.ts';
import { openLaboratoryApi } from '../../../support/laboratory-api.ts';

/** Both projects have a chip of this name, and so the same device. */
const CHIP = 'KILLED';
const QUBITS = ['0', '1'];
const TASKS = ['CheckRabi', 'CreateHPIPulse', 'CheckT1'];

let lab: CommonLaboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
  await lab.setFaults({ rules: [] });
});

const flow = (name: string, line: string) =>
  `export async function ${name}(session) {\n  ${line}\n  return null;\n}\n`;
const maintenance = flow(
  'maintain',
  `const done = await session.maintain(${JSON.stringify({ targets: QUBITS, tasks: TASKS, seconds: 6000, mode: 'serial' })});
  session.log(JSON.stringify(done));`,
);
const rabi = flow('rabi', "await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['0'] });");

/** Maintains a new chip, changes the drive of a qubit, and maintains it again. @returns what was measured then */
async function maintainedTwice(
  whileMeasuring: (projectId: ProjectId, executionId: ExecutionId) => Promise<void>,
) {
  const api = await openLaboratoryApi(lab);
  const projectId = await api.newProject(CHIP, QUBITS);
  const start = async (name: string, code: string) => {
    await api.ask('/flows', { name, chip_id: CHIP, code });
    return startedRun.parse(await (await api.ask(`/flows/${name}/execute`, {})).json());
  };
  const over = async (executionId: ExecutionId) => {
    expect(await lab.ended(projectId, executionId)).toMatchObject({ status: 'completed' });
    await lab.free(projectId);
  };
  await over((await start('maintain', maintenance)).execution_id);
  const from = '2026-01-01T00:00:00Z';
  const incidents = [{ incident: 'drive_step' as const, qids: ['0'], from, size: 2 }];
  const ofProject = { project_id: projectId };
  await lab.setFaults({ rules: [], incidents });
  await over((await start('rabi', rabi)).execution_id);

  await lab.setFaults({ rules: [{ match: ofProject, behaviour: 'slow', seconds: 1 }], incidents });
  const { execution_id } = await start('maintain', maintenance);
  await whileMeasuring(projectId, execution_id);
  await over(execution_id);
  await lab.setFaults({ rules: [] });
  const rows = await lab.tasksOf(projectId, execution_id);
  const decided = await api.ask(`/executions/${execution_id}/maintenance/decisions?limit=500`);
  const { items, total } = maintenanceDecisionList.parse(await decided.json());
  expect(items.map(({ sequence }) => sequence)).toEqual(Array.from({ length: total }, (_, place) => place));
  await api.close();
  return {
    measured: rows.map(({ name, qid, check }) => `${check ? 'check of ' : ''}${name} ${qid}`).sort(),
    decided: items.map(({ phase, task_name, targets, decision }) => [phase, task_name, ...targets, decision]),
  };
}

test('a maintenance whose worker is killed decides and measures what it does undisturbed', async () => {
  const undisturbed = await maintainedTwice(async () => {});
  const { measured } = undisturbed;
  expect(measured).toEqual(expect.arrayContaining(['check of CreateHPIPulse 0', 'CreateHPIPulse 0']));
  expect(measured.filter((each) => each.endsWith(' 1'))).toEqual([]);
  const killed = await maintainedTwice(async (projectId, executionId) => {
    await lab.measuring(projectId, executionId);
    await lab.worker.kill();
    await lab.worker.start();
  });
  expect(killed).toEqual(undisturbed);
});
