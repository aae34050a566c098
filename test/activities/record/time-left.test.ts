import { beforeAll, expect, test } from 'vitest';
import type { Analysed } from '../../../activities/analysis/pool.ts';
import type { MeasureResult } from '../../../activities/backends/backend.ts';
import { taskIdAt } from '../../../activities/record/task-ids.ts';
import { keyOf, type TaskId } from '../../../shared/kernel/ids.ts';
import type { AnalysisInput } from '../../../shared/tasks/common/analysis/model.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { taskNamed } from '../../support/ids.ts';
import type { Laboratory } from '../../support/laboratory.ts';
import { commonAnalysis, heldRun, recordActivities } from '../../support/record-keeping.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** Finds `t1` in us; where there is none the decay is lost in noise, and eight times the shots may show it. */
function keeper(t1: number | null) {
  const analyse = async ({ runParameters }: AnalysisInput): Promise<Analysed> => {
    if (t1 !== null) return { outputs: { t1: { value: t1, error: 0.1 } }, r2: 0.99, figures: [] };
    const shots = { value: 8 * Number(runParameters.shots?.value), value_type: 'int' };
    const again = { run: { shots }, reason: 'the decay is lost in noise' };
    return { outputs: {}, r2: null, figures: [], refused: 'nothing is seen', again };
  };
  return recordActivities(lab, { analysis: { ...commonAnalysis(), analyse } }).record;
}

/** A run that holds its project, of which the target `1` is measured here. */
async function measuredHere() {
  const { place, run } = await heldRun(lab, { tasks: ['CheckT1', 'CheckT1', 'CheckT1'] });
  const at = (index: number) => ({ run, stage: 0, targets: ['1'], index });
  /** Of the tasks that were prepared, by position. */
  const ids: string[] = [];

  /** Prepares a measurement that another process closes. @returns its task id */
  async function prepared(): Promise<string> {
    const where = at(ids.length);
    await keeper(null)({ ...where, step: 'prepare' });
    const id = taskIdAt(where);
    ids.push(id);
    return id;
  }

  /** Closes it with what was found. */
  async function closed(task_id: TaskId, t1: number | null, answered: Partial<MeasureResult> = {}) {
    const empty = { dims: {}, coordinates: {}, variables: {} };
    const result = { targets: { 1: { dataset: empty } }, ...answered };
    const finished = { task_id, pass: 1, attempt: 1, result, failure: null };
    const { next } = await keeper(t1)({ ...at(ids.indexOf(task_id)), step: 'finish_or_repeat', finished });
    const row = await lab.areas.results.get(place.projectId, task_id);
    return { pass: next?.request.pass, row: row ?? expect.fail('no row') };
  }

  /** As if it had taken a minute, and had half of one left. */
  async function slow(task_id: TaskId): Promise<void> {
    const now = Date.now();
    await lab.database.db
      .collection<{ _id: string }>('task_results')
      .updateOne(
        { _id: keyOf(place.projectId, task_id) },
        { $set: { start_at: new Date(now - 60_000), deadline: new Date(now + 30_000) } },
      );
  }
  return { prepared, closed, slow };
}

test('a measurement is repeated by our clock, whatever the clock of its backend shows', async () => {
  const { prepared, closed } = await measuredHere();
  for (const started_at of ['0001-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
    const { pass, row } = await closed(taskNamed(await prepared()), null, { started_at });
    expect(row.passes).toMatchObject([{ reason: 'the decay is lost in noise' }]);
    expect(pass).toBe(2);
  }
});

test('a measurement that would outlast the time of its task is not repeated, and the result says so', async () => {
  const { prepared, closed, slow } = await measuredHere();
  const task = await prepared();
  await slow(taskNamed(task));
  const { pass, row } = await closed(taskNamed(task), null);
  expect(pass).toBeUndefined();
  expect(row.status).toBe('failed');
  expect(row.message).toMatch(/nothing is seen.* would take longer than what is left of its time\.$/);
});

test('a value that does not match what is known is not measured a second time beyond the time of its task', async () => {
  const { prepared, closed, slow } = await measuredHere();
  const { row: known } = await closed(taskNamed(await prepared()), 50);
  expect(known.status).toBe('completed');
  expect((await closed(taskNamed(await prepared()), 5)).pass).toBe(2);
  const task = await prepared();
  await slow(taskNamed(task));
  const { pass, row } = await closed(taskNamed(task), 5);
  expect(pass).toBeUndefined();
  expect(row.status).toBe('failed');
  expect(row.message).toMatch(
    /does not match what is known: .* the next measurement that agrees is taken over\.$/,
  );
});
