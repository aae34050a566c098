import { afterAll, beforeAll, expect, test } from 'vitest';
import { startedRun } from '../../../../shared/domain/runs/model.ts';
import type { ProjectId } from '../../../../shared/kernel/ids.ts';
import type { Laboratory } from '../../../support/laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from '../../../support/laboratory-api.ts';

let api: LaboratoryApi;
let lab: Laboratory;
let projectId: ProjectId;
beforeAll(async () => {
  api = await openLaboratoryApi();
  lab = api.lab;
  projectId = await api.newProject('A16', ['0']);
});
afterAll(() => api.close());

const post = async (path: string, body: object): Promise<unknown> => (await api.ask(path, body)).json();

/** Saves a flow with these default run parameters over HTTP, runs it, and gives what was stored. */
async function runFlow(name: string, defaultRunParameters: object, tasks: string) {
  await post('/flows', {
    name,
    chip_id: 'A16',
    code: `export async function ${name}(session) {
  await session.run({ name: 'stage', tasks: ${tasks}, targets: ['0'] });
}
`,
    default_run_parameters: defaultRunParameters,
  });
  const run = startedRun.parse(await post(`/flows/${name}/execute`, {}));
  const execution = await lab.ended(projectId, run.execution_id);
  await lab.free(projectId);
  const rows = await lab.tasksOf(projectId, run.execution_id);
  return { execution, rows: [...rows].sort((a, b) => a.index - b.index) };
}

test('a task runs with its own details, else the defaults of its flow for it, else those for all, else the catalog', async () => {
  const { rows } = await runFlow(
    'precedence',
    {
      interval: 100_000,
      shots: { value: '2 * 256', value_type: 'int' },
      repetitions: { value: 10 },
      CheckT1: { shots: { value: 600 }, time_range: { value: [2, 5, 21] } },
      CheckHPIPulse: { interval: { value: 90_000 } },
    },
    `[
    { name: 'CheckT1', run_parameters: { shots: 700 } },
    'CheckT1',
    { name: 'CheckRabi', run_parameters: { time_range: { value: [0, 201, 8] } } },
    'CheckHPIPulse',
  ]`,
  );
  const stored = rows.map((row) => [
    row.name,
    row.status,
    Object.fromEntries(
      Object.entries(row.run_parameters).map(([name, parameter]) => [name, parameter.value]),
    ),
  ]);
  expect(stored).toEqual([
    ['CheckT1', 'completed', { time_range: [2, 5, 21], shots: 700, interval: 100_000 }],
    ['CheckT1', 'completed', { time_range: [2, 5, 21], shots: 600, interval: 100_000 }],
    [
      'CheckRabi',
      'completed',
      {
        time_range: [0, 201, 8],
        fine_time_range: [2, 16, 4],
        second_detuning: 0.0125,
        shots: 512,
        interval: 100_000,
      },
    ],
    ['CheckHPIPulse', 'completed', { repetitions: 10, interval: 90_000 }],
  ]);
  expect(rows[1]?.run_parameters['shots']).toMatchObject({ value_type: 'int', unit: '' });
});

test('a flow without defaults runs with those of the catalog', async () => {
  const { rows } = await runFlow('plain', {}, "['CheckRabi']");
  expect(rows[0]?.run_parameters).toMatchObject({
    time_range: { value: [0, 401, 8], value_type: 'range', unit: 'ns' },
    shots: { value: 2048 },
    interval: { value: 153_600 },
  });
});

test('defaults that cannot be used end the run before anything is measured, all of them in one message', async () => {
  const { execution, rows } = await runFlow(
    'mistaken',
    {
      shots: 'many',
      CheckRabi: { time_range: { value: [0, 401, 0] } },
    },
    "['CheckRabi', 'CheckT1']",
  );
  expect(execution.status).toBe('failed');
  expect(execution.message).toContain('flow "mistaken" line 2: stage "stage" cannot run: ');
  for (const message of [
    'The run parameter time_range of CheckRabi cannot be used: its step must not be 0.',
    'The run parameter shots of CheckRabi cannot be used: "many" is not a number.',
    'The run parameter shots of CheckT1 cannot be used: "many" is not a number.',
  ]) {
    expect(execution.message).toContain(message);
  }
  expect(rows).toEqual([]);
});
