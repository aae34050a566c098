import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import { trueQubit } from '../../../shared/science/device/device.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { readOut } from '../../../shared/science/device/readout.ts';
import { numberOf } from '../../../shared/tasks/common/parameters.ts';
import { withReferenceStates } from '../../../shared/tasks/common/simulation/reference-states.ts';
import { sweepDataset } from '../../../shared/tasks/common/simulation/sweeps.ts';
import { sweepPoints } from '../../../shared/tasks/run-parameters.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { serveBackend } from '../../support/foreign-backend.ts';
import type { LabChip, Laboratory } from '../../support/laboratory.ts';
import { at } from '../../support/measured.ts';

let lab: Laboratory;
let foreign: Awaited<ReturnType<typeof serveBackend>>;
/** The true T1 of the backend's qubit, us; null: its signal no longer depends on the qubit. */
let t1: number | null;
let requests: MeasureRequest[];

const qubit = trueQubit('checks', '0', at);
const settings = { frequency: qubit.readoutFrequency, amplitude: qubit.readoutAmplitude, lengthNs: 384 };

/** A lab's own program: it measures a decay at the requested times, and knows nothing of checks. */
async function measure(request: MeasureRequest) {
  requests.push(request);
  const { targets, run_parameters } = request;
  const sweep = sweepPoints(run_parameters.time_range ?? expect.fail('no times are requested'));
  const points = sweep.ok ? sweep.value : expect.fail(sweep.problem);
  const shots = numberOf(run_parameters.shots) ?? expect.fail('no shots are requested');
  const noise = randomFrom('checks', 'noise', String(requests.length));
  const read = (populations: readonly number[]) => readOut(qubit, { ...settings, shots }, populations, noise);
  const populations = points.map((time) => (t1 === null ? 0.5 : Math.exp(-time / 1000 / t1)));
  const axis = { name: 'time', longName: 'Waiting time', unit: 'ns', points };
  const dataset = withReferenceStates(sweepDataset(axis, read(populations)), [0, 1], read([0, 1]));
  return { targets: Object.fromEntries(targets.map((target) => [target, { dataset }])) };
}

beforeAll(async () => {
  lab = await commonLaboratory();
  foreign = await serveBackend(lab, 'decaying', measure);
});
afterAll(() => foreign.close());
beforeEach(() => {
  t1 = 40;
  requests = [];
});

/** Runs CheckT1 on the backend. @returns its row, and the number of measured points times shots */
async function run(place: LabChip, wanted: Parameters<Laboratory['startTask']>[3]) {
  const before = requests.length;
  const started = await lab.startTask(place, 'CheckT1', '0', { backend: 'decaying', ...wanted });
  await lab.ended(place.projectId, started.execution_id);
  await lab.free(place.projectId);
  const [row] = await lab.tasksOf(place.projectId, started.execution_id);
  const cost = requests.slice(before).reduce((sum, { run_parameters }) => {
    const points = sweepPoints(run_parameters.time_range ?? expect.fail('no times'));
    return sum + (points.ok ? points.value.length + 2 : 0) * (numberOf(run_parameters.shots) ?? 0);
  }, 0);
  return { row: row ?? expect.fail('there is no task'), cost };
}

const check = { check: true, persist: false } as const;
const stateOf = (place: LabChip) => lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');

test('a check asks a foreign backend for few points of the same task, and writes no value', async () => {
  const place = await lab.newProject();
  const whole = await run(place, {});
  const stored = whole.row.output_parameters['t1'];
  expect(stored?.value).toBeCloseTo(40, -1);
  const state = await stateOf(place);

  const same = await run(place, check);
  expect(same.cost).toBeLessThanOrEqual(0.15 * whole.cost);
  expect(requests.at(-1)).toMatchObject({ contract: 1, task_name: 'CheckT1', targets: ['0'] });
  expect(requests.at(-1)?.pass).toBeUndefined();
  expect(same.row).toMatchObject({
    status: 'completed',
    output_parameters: {},
    check: {
      outcome: 'in_specification',
      values: {
        t1: { value: stored?.value, found: expect.any(Number), error: expect.any(Number), unit: 'us' },
      },
    },
  });
  expect(same.row.message).toContain('In specification: t1 is');
  const { check: values } = await lab.areas.executions.taskResult(place.projectId, same.row.task_id);
  expect(values).toEqual(same.row.check);

  t1 = 15;
  const shifted = await run(place, check);
  expect(shifted.row).toMatchObject({ status: 'completed', check: { outcome: 'out_of_specification' } });

  const again = await run(place, { ...check, source_task_id: same.row.task_id, from_snapshot: true });
  expect(again.row.run_parameters).toEqual(same.row.run_parameters);
  expect(again.row.check?.outcome).toBe('out_of_specification');

  t1 = null;
  const broken = await run(place, check);
  expect(broken.row).toMatchObject({ status: 'completed', check: { outcome: 'bad_data' } });
  expect(requests).toHaveLength(5);
  expect((await stateOf(place))?.data).toEqual(state?.data);
});

test('a value that was never found fails its check before the hardware is used', async () => {
  const { row } = await run(await lab.newProject(), check);
  expect(row).toMatchObject({
    status: 'failed',
    message: 'CheckT1 cannot be checked on target 0: There is no stored value to check: t1.',
  });
  expect(requests).toEqual([]);
});

test('a stage of a flow checks its targets, and goes on with the tasks that are not checks', async () => {
  const place = await lab.newProject();
  await run(place, {});
  const code = `export async function flow(session) {
  await session.run({ name: 'look', tasks: [{ name: 'CheckT1', check: true }, 'CheckT1'], targets: ['0'] });
}
`;
  const started = await lab.startFlow(place, code, { backend: 'decaying' });
  await lab.ended(place.projectId, started.execution_id);
  const rows = await lab.tasksOf(place.projectId, started.execution_id);
  expect(rows.map((row) => [row.check?.outcome, Object.keys(row.output_parameters)])).toEqual([
    ['in_specification', []],
    [undefined, ['t1']],
  ]);
});
