import { beforeAll, expect, test } from 'vitest';
import { taskIdAt } from '../../../../activities/record/task-ids.ts';
import type { TaskOutcome } from '../../../../shared/domain/results/model.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';
import type { Laboratory } from '../../../support/laboratory.ts';
import { heldRun, recordActivities } from '../../../support/record-keeping.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

function outcome(message: string): TaskOutcome {
  const nothing = {
    outputs: {},
    quality_metrics: {},
    figure_path: [],
    json_figure_path: [],
    raw_data_path: [],
  };
  return { ...nothing, status: 'failed', message, start_at: null, end_at: new Date() };
}

test('of outcomes that are written at once each task has the first of its own, and one that has ended none', async () => {
  const { place, run } = await heldRun(lab, { qids: ['0', '1', '2'] });
  const { record } = recordActivities(lab);
  const { results } = lab.areas;
  const rows = await Promise.all(
    ['0', '1', '2'].map(async (target) => {
      const where = { run, stage: 0, targets: [target], index: 0 };
      await record({ ...where, step: 'prepare' });
      return (await results.get(place.projectId, taskIdAt(where))) ?? expect.fail('no row');
    }),
  );
  const [, second, third] = rows;
  if (!second || !third) throw new Error('rows are missing');
  await results.setOutcome(second, outcome('before'), 2);
  await results.end(third, outcome('ended'));
  const written = await Promise.all(rows.map((row) => results.setOutcome(row, outcome('now'), 1)));
  expect(written.map((row) => row && [row.qid, row.outcome?.message, row.attempt])).toEqual([
    ['0', 'now', 1],
    ['1', 'before', 2],
    null,
  ]);
  const stored = await Promise.all(rows.map(({ task_id }) => results.get(place.projectId, task_id)));
  expect(stored.map((row) => [row?.status, row?.outcome?.message ?? row?.message])).toEqual([
    ['running', 'now'],
    ['running', 'before'],
    ['failed', 'ended'],
  ]);
});
