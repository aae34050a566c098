import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Analysed } from '../../../activities/analysis/pool.ts';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import { taskIdAt } from '../../../activities/record/task-ids.ts';
import { keyOf } from '../../../shared/kernel/ids.ts';
import type { AnalysisInput } from '../../../shared/tasks/common/analysis/model.ts';
import { moreShots } from '../../../shared/tasks/suggested-run.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { serveBackend } from '../../support/foreign-backend.ts';
import { type Laboratory, oneStage } from '../../support/laboratory.ts';
import { commonAnalysis, heldRun, recordActivities } from '../../support/record-keeping.ts';

let lab: Laboratory;
let fitting: Awaited<ReturnType<typeof serveBackend>>;
/** Shots of each request, by target. */
const asked = new Map<string, unknown[]>();

const shotsOf = ({ run_parameters }: MeasureRequest) => z.number().parse(run_parameters.shots?.value);

/** A backend that analyses by itself: its r2 is good from 4,000 shots on, and never for qubit 3. */
async function fitted(request: MeasureRequest) {
  const [target = ''] = request.targets;
  const shots = shotsOf(request);
  asked.set(target, [...(asked.get(target) ?? []), shots]);
  const r2 = shots > 4000 && target !== '3' ? 0.99 : 0.2;
  return { targets: { [target]: { outputs: { t1: { value: 41.5, error: 0.5 } }, quality: { r2 } } } };
}

beforeAll(async () => {
  lab = await commonLaboratory();
  fitting = await serveBackend(lab, 'fitting', fitted);
});
afterAll(() => fitting.close());

async function measured(qids: readonly string[], options: string, backend = 'fitting') {
  asked.clear();
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], qids, options), { backend });
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  return new Map(rows.map((row) => [row.qid, row]));
}

const FEW_SHOTS = 'run_parameters: { shots: 1024 }';

test('a refused result says with which run parameters its task may succeed', async () => {
  const rows = await measured(['0'], `, ${FEW_SHOTS}`);
  expect(asked.get('0')).toEqual([1024]);
  const row = rows.get('0');
  expect(row).toMatchObject({
    status: 'failed',
    suggested_run_parameters: { shots: { value: 4096, value_type: 'int', unit: '' } },
  });
  expect(row?.suggested_run_parameters?.shots?.description).toBe(row?.run_parameters.shots?.description);
  expect(row?.passes).toBeUndefined();
});

test('a stage repeats a refused task once with what its refusal suggests, whatever backend measures', async () => {
  const rows = await measured(['0', '3'], `, repeat_refused: true, ${FEW_SHOTS}`);
  expect(asked).toEqual(
    new Map([
      ['0', [1024, 4096]],
      ['3', [1024, 4096]],
    ]),
  );
  expect(rows.get('0')).toMatchObject({
    status: 'completed',
    run_parameters: { shots: { value: 4096 } },
    passes: [{ repeats: true }],
  });
  expect(rows.get('0')?.message).toBe(
    'CheckT1 is completed. It measured again because its stage repeats a refused task once with what its refusal suggests: its fit is not good enough.',
  );
  expect(rows.get('3')).toMatchObject({
    status: 'failed',
    passes: [{ repeats: true }],
    suggested_run_parameters: { shots: { value: 16384 } },
  });
});

test('what is refused in all of its passes is repeated once more, with all of its time', async () => {
  const { place, run } = await heldRun(lab, { options: ', repeat_refused: true' });
  const analyse = async ({ runParameters }: AnalysisInput): Promise<Analysed> => {
    const again = moreShots(runParameters, 'the decay is lost in noise', { factor: 2 });
    return { outputs: {}, r2: null, figures: [], refused: 'nothing is seen', ...(again && { again }) };
  };
  const { record } = recordActivities(lab, { analysis: { ...commonAnalysis(), analyse } });
  const where = { run, stage: 0, targets: ['1'], index: 0 };
  const task_id = taskIdAt(where);
  const key = keyOf(place.projectId, task_id);
  const rowNow = async () => (await lab.areas.results.get(place.projectId, task_id)) ?? expect.fail('no row');
  await record({ ...where, step: 'prepare' });
  const passes: (number | undefined)[] = [];
  for (let pass = 1; pass <= 4; pass++) {
    // Half a minute is left of the task's time, which is enough for a pass of no length.
    const deadline = new Date(Date.now() + 30_000);
    await lab.database.db
      .collection<{ _id: string }>('task_results')
      .updateOne({ _id: key }, { $set: { deadline } });
    const result = { targets: { 1: { dataset: { dims: {}, coordinates: {}, variables: {} } } } };
    const finished = { task_id, pass, attempt: 1, result, failure: null };
    const { next } = await record({ ...where, step: 'finish_or_repeat', finished });
    passes.push(next?.request.pass);
    const left = ((await rowNow()).deadline?.getTime() ?? 0) - deadline.getTime();
    expect(left > 60_000).toBe(pass === 3);
  }
  expect(passes).toEqual([2, 3, 4, undefined]);
  const row = await rowNow();
  expect(row.status).toBe('failed');
  expect(row.passes?.map(({ repeats }) => repeats)).toEqual([undefined, undefined, true]);
  expect(row.suggested_run_parameters?.shots?.value).toBe(2 * Number(row.run_parameters.shots?.value));
});
