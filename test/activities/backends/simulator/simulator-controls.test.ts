import { beforeAll, expect, test } from 'vitest';
import type { FaultRule } from '../../../../activities/backends/simulator/faults.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import { HEARTBEAT_TIMEOUT, type Laboratory, oneStage } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

const setup = ['CheckStatus', 'LinkUp', 'DumpBox', 'ConfigureAll', 'ReadoutConfigure', 'CheckNoise'];

/** Runs tasks under faults that hit this project alone. */
async function runTasks(tasks: readonly string[], targets: readonly string[], faults: FaultRule[] = []) {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: faults.map((rule) => ({ ...rule, match: { ...rule.match, project_id: place.projectId } })),
  });
  const run = await lab.startFlow(place, oneStage(tasks, targets));
  const execution = await lab.ended(place.projectId, run.execution_id);
  await lab.setFaults({ rules: [] });
  const [rows, journal] = await Promise.all([
    lab.tasksOf(place.projectId, run.execution_id),
    lab.journal(place.projectId, run.execution_id),
  ]);
  return { place, execution, rows, journal };
}

test('tasks of the boxes are done once for all targets of a stage, and each target has its record', async () => {
  const targets = ['0', '1', '5'];
  const { execution, rows, journal } = await runTasks([...setup, 'Configure', 'CheckRabi'], targets);
  expect(rows.filter((row) => row.status !== 'completed').map((row) => row.message)).toEqual([]);
  expect(execution.status).toBe('completed');
  const started = journal.filter(({ event }) => event === 'start');
  for (const name of setup) {
    const measured = started.filter(({ task_name }) => task_name === name);
    expect(
      measured.map((entry) => [...entry.targets].sort()),
      name,
    ).toEqual([targets]);
    const records = rows.filter((row) => row.name === name);
    expect(records.map((row) => `${row.qid} ${row.status}`).sort(), name).toEqual(
      targets.map((qid) => `${qid} completed`),
    );
  }
  for (const name of ['Configure', 'CheckRabi']) {
    expect(started.filter(({ task_name }) => task_name === name)).toHaveLength(targets.length);
  }
});

test('a measurement whose instrument shows no sign of life is aborted and made once more', async () => {
  const { execution, rows, journal } = await runTasks(
    ['CheckT1'],
    ['0'],
    [{ match: { attempt: 1 }, behaviour: 'disconnect', seconds: HEARTBEAT_TIMEOUT + 2 }],
  );
  expect(execution.status).toBe('completed');
  expect(rows.map(({ status, attempt }) => ({ status, attempt }))).toEqual([
    { status: 'completed', attempt: 2 },
  ]);
  expect(journal.map(({ event, attempt }) => `${event} ${attempt}`)).toEqual([
    'start 1',
    'abort 1',
    'start 2',
    'end 2',
  ]);
});

test('a measurement whose instrument shows no sign of life three times fails with a message', async () => {
  const { rows } = await runTasks(
    ['CheckT1'],
    ['0'],
    [{ match: {}, behaviour: 'disconnect', seconds: HEARTBEAT_TIMEOUT + 2 }],
  );
  expect(rows[0]).toMatchObject({ status: 'failed', attempt: 3 });
  expect(rows[0]?.message).toMatch(/no sign of life 3 times. The instrument reported no error/);
});

test('the gates stop every lie that breaks a rule, and let one pass that looks right', async () => {
  // Far beyond the 7 % by which T1 scatters from one measurement to the next.
  const usual = { factor: 2, r2: 0.999, errors: true };
  const lies = { 0: { factor: -1 }, 1: { r2: null }, 2: { r2: 0.1 }, 3: {}, 5: { errors: false } };
  const { place, rows } = await runTasks(
    ['CheckT1'],
    Object.keys(lies),
    Object.entries(lies).map(([qid, lie]) => ({
      match: { targets: [qid] },
      behaviour: 'lie',
      lie: { ...usual, ...lie },
    })),
  );
  const messages = Object.fromEntries(rows.map((row) => [row.qid, row.message]));
  expect(messages).toMatchObject({
    0: expect.stringMatching(/^The output t1 is -\d.* us, which must be above 0\.$/),
    1: 'CheckT1 is completed. CheckT1 needs an r2 and the backend gave none: its values do not become calibration state.',
    2: 'The fit of CheckT1 is not good enough: r2 0.1 is not above 0.7.',
    3: 'CheckT1 is completed.',
    5: 'CheckT1 is completed.',
  });
  const { t1 } = lab.simulator.truth(place.chipId, '3', new Date());
  const believed = rows.find(({ qid }) => qid === '3')?.output_parameters.t1;
  expect(Number(believed?.value) / t1).toBeGreaterThan(1.5);
  expect(rows.find(({ qid }) => qid === '5')?.output_parameters.t1?.error).toBeNull();
});
