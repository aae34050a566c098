import { afterAll, beforeAll, expect, test } from 'vitest';
import { maintenanceDecisionList } from '../../../../shared/domain/maintenance/model.ts';
import { startedRun } from '../../../../shared/domain/runs/model.ts';
import type { ProjectId } from '../../../../shared/kernel/ids.ts';
import type { Laboratory } from '../../../support/laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from '../../../support/laboratory-api.ts';

const CHIP = 'MAINTAINED';
const TASKS = ['CheckRabi', 'CreateHPIPulse', 'CheckT1'];

let api: LaboratoryApi;
let lab: Laboratory;
let projectId: ProjectId;
beforeAll(async () => {
  api = await openLaboratoryApi();
  lab = api.lab;
  projectId = await api.newProject(CHIP, ['0', '1']);
});
afterAll(async () => {
  await lab.setFaults({ rules: [] });
  await api.close();
});

const post = async (path: string, body: object): Promise<unknown> => (await api.ask(path, body)).json();

/** Runs a flow of these lines. @returns what was measured, with the outcomes of checks, and the messages of the log */
async function runFlow(name: string, ...lines: string[]) {
  const code = [`export async function ${name}(session) {`, ...lines, '}', ''].join('\n');
  await post('/flows', { name, chip_id: CHIP, code });
  const run = startedRun.parse(await post(`/flows/${name}/execute`, {}));
  const execution = await lab.ended(projectId, run.execution_id);
  await lab.free(projectId);
  const rows = await lab.tasksOf(projectId, run.execution_id);
  const measured = [...rows]
    .sort((a, b) => (a.start_at?.getTime() ?? 0) - (b.start_at?.getTime() ?? 0))
    .map((row) => `${row.check ? `${row.check.outcome}: ` : ''}${row.name} ${row.qid}`);
  const log = JSON.stringify(await (await api.ask(`/executions/${run.execution_id}/log`)).json());
  const path = `/executions/${run.execution_id}/maintenance/decisions`;
  const decided = async (query = '') =>
    maintenanceDecisionList.parse(await (await api.ask(`${path}?limit=500${query}`)).json()).items;
  return { execution, measured, log, decided };
}

const maintain = (name: string) =>
  runFlow(
    name,
    `  const done = await session.maintain({ targets: ['0', '1'], tasks: ${JSON.stringify(TASKS)}, seconds: 600, mode: 'serial' });`,
    '  session.log(JSON.stringify(done));',
  );

test('a chip is calibrated where nothing is known, left alone while all holds, and repaired where something changed', async () => {
  const first = await maintain('first');
  expect(first.execution).toMatchObject({ status: 'completed' });
  expect(first.measured.sort()).toEqual(TASKS.flatMap((task) => [`${task} 0`, `${task} 1`]).sort());

  const second = await maintain('second');
  expect(second.execution).toMatchObject({ status: 'completed' });
  expect(second.measured).toEqual([]);
  expect(
    (await second.decided()).map(({ phase, task_name, targets, decision }) => [
      ...[phase, `${task_name} ${targets.join(' ')}`, decision],
    ]),
  ).toEqual(['start', 'end'].flatMap((phase) => TASKS.map((task) => [phase, `${task} 0 1`, 'holds'])));

  // The drive of qubit 0 is stronger from now on, and a person measures it.
  const from = '2026-01-01T00:00:00Z';
  await lab.setFaults({ rules: [], incidents: [{ incident: 'drive_step', qids: ['0'], from, size: 2 }] });
  const person = await runFlow(
    'person',
    "  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['0'] });",
  );
  expect(person.execution).toMatchObject({ status: 'completed' });

  const third = await maintain('third');
  expect(third.execution).toMatchObject({ status: 'completed' });
  expect(third.measured.slice(0, 3)).toEqual([
    'out_of_specification: CreateHPIPulse 0',
    'CreateHPIPulse 0',
    expect.stringMatching(/^(in_specification|bad_data): CheckT1 0$/),
  ]);
  expect(third.log).toContain('control_amplitude of 0, which changed by more than its error since');
  const [check, calibrate, ...more] = await third.decided('&qid=0&task_name=CreateHPIPulse');
  expect(check).toMatchObject({ phase: 'start', decision: 'check', state_before: 'stale', check: null });
  expect(check?.parameter_names).toContain('hpi_amplitude');
  expect(check?.reason).toContain('control_amplitude of 0, which changed by more than its error since');
  expect(calibrate).toMatchObject({
    ...{ phase: 'run', decision: 'calibrate', reason: 'Its check is out of specification.' },
    check: { outcome: 'out_of_specification', reason: expect.stringContaining('hpi_amplitude') },
  });
  expect(more.map(({ phase, decision }) => `${phase} ${decision}`)).toEqual(['run holds', 'end holds']);

  // What fails is left alone until its time.
  await lab.setFaults({ rules: [{ match: { task_name: 'CheckRabi', targets: ['1'] }, behaviour: 'noise' }] });
  await runFlow('failing', "  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: ['1'] });");
  const fourth = await maintain('fourth');
  // What reads its values is checked, but nothing is calibrated with them.
  expect(fourth.measured.filter((each) => !/^(in_specification|bad_data): /.test(each))).toEqual([]);
  expect(fourth.log).toContain('CheckRabi on 1 could not be repaired');
  expect(fourth.log).toContain('It is tried again after');
  const [left, ...other] = await fourth.decided('&phase=end&decision=not_repaired&task_name=CheckRabi');
  expect(other).toEqual([]);
  expect(left).toMatchObject({ targets: ['1'], reason: expect.stringContaining('It is tried again after') });
});
