import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { averageOf } from '../../../../shared/domain/metrics/rules.ts';
import { createTotals } from '../../../../shared/domain/metrics/totals.ts';
import type { TaskResultDocument } from '../../../../shared/domain/results/model.ts';
import type { ProjectId, TaskId } from '../../../../shared/kernel/ids.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { taskNamed, userNamed } from '../../../support/ids.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';
import { storedTask } from '../../../support/stored-results.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
let project: ProjectId;
beforeAll(async () => {
  own = await openOwnAreas();
});
afterAll(() => own.close());
beforeEach(() => {
  project = newProjectId();
});

const mia = { id: userNamed('usr_mia'), username: 'mia' };
const now = new Date('2026-06-01T00:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const rows = () => own.kernel.db.collection<TaskResultDocument>('task_results');

function resultOf(
  task_id: TaskId,
  value: number | null,
  days: number,
  fields: Partial<TaskResultDocument> = {},
) {
  const made = storedTask(project, mia, {
    task_id,
    start_at: daysAgo(days),
    closed_at: daysAgo(days),
    ...fields,
  });
  for (const record of Object.values(made.output_parameters)) record.value = value;
  return made;
}
const store = (...made: TaskResultDocument[]) => rows().insertMany(made);

const metricOf = (mode: 'maximize' | 'minimize' | 'none') => ({
  title: 'T1',
  unit: 'µs',
  scale: 1,
  description: '',
  evaluation: { mode },
  threshold: null,
});

/** Best, mean and deviation of each qubit, as questions in pages of this size find them. */
async function found(page: number, mode: 'maximize' | 'minimize' | 'none' = 'maximize', at = now) {
  const chip = { project_id: project, chip_id: 'CHIP' };
  const asked = [{ kind: 'qubit' as const, name: 't1', metric: metricOf(mode) }];
  const [targets = new Map()] = await createTotals(own.kernel.db, own.areas.results, page).ofAll(
    chip,
    asked,
    at,
  );
  return Object.fromEntries(
    [...targets].sort().map(([qid, totals]) => {
      const { value = null, stddev = null } = averageOf(totals) ?? {};
      return [qid, [totals.best?.task_id ?? null, value, stddev]];
    }),
  );
}
const exclude = (task_id: TaskId, excluded: boolean) =>
  own.areas.results.exclude(project, task_id, { excluded, reason: '' }, { user_id: mia.id, username: 'mia' });

test.each([1, 2, 3, 100])(
  'all results are counted once in pages of %i, also those that began together',
  async (page) => {
    await store(
      resultOf(taskNamed('a'), 40, 9),
      resultOf(taskNamed('b'), 60, 8),
      resultOf(taskNamed('c'), 50, 8, { qid: '1' }),
      resultOf(taskNamed('d'), 70, 8, { qid: '1' }),
      resultOf(taskNamed('e'), 20, 8),
      resultOf(taskNamed('failed'), 900, 7, { status: 'failed' }),
      resultOf(taskNamed('nothing'), null, 7),
      resultOf(taskNamed('new'), 60, 0.5),
      resultOf(taskNamed('elsewhere'), 900, 7, { chip_id: 'OTHER' }),
      resultOf(taskNamed('pair'), 900, 7, { task_type: 'coupling', qid: '0-1' }),
    );
    const expected = {
      '0': ['new', 45, expect.closeTo(Math.sqrt((25 + 225 + 625 + 225) / 3), 9)],
      '1': ['d', 60, expect.closeTo(Math.sqrt(200), 9)],
    };
    expect(await found(page)).toEqual(expected);
    expect(await found(page), 'from what is kept').toEqual(expected);
    await store(resultOf(taskNamed('later'), 100, 0.1));
    expect((await found(page))['0']).toEqual(['later', 56, expect.anything()]);
  },
);

test('a result that ended a millisecond after the last one of a full page is counted, whenever it is stored', async () => {
  await store(resultOf(taskNamed('a'), 40, 9));
  expect((await found(1))['0']).toEqual(['a', 40, null]);
  await store(resultOf(taskNamed('b'), 60, 9, { closed_at: new Date(daysAgo(9).getTime() + 1) }));
  expect((await found(1))['0']).toEqual(['b', 50, expect.anything()]);
});

test('what is kept is not read again', async () => {
  await store(resultOf(taskNamed('a'), 40, 9), resultOf(taskNamed('b'), 60, 8));
  const before = await found(100);
  await rows().deleteMany({ project_id: project });
  expect(await found(100)).toEqual(before);
});

test('what metrics leave out is not counted, old or new, and is again once they count it', async () => {
  await store(
    resultOf(taskNamed('a'), 40, 9),
    resultOf(taskNamed('best'), 90, 8),
    resultOf(taskNamed('c'), 50, 7),
    resultOf(taskNamed('new'), 80, 0.5),
  );
  const all = await found(100);
  expect(all['0']).toEqual(['best', 65, expect.anything()]);
  await exclude(taskNamed('best'), true);
  expect((await found(100))['0']).toEqual(['new', expect.closeTo(170 / 3, 9), expect.anything()]);
  await exclude(taskNamed('new'), true);
  expect((await found(100))['0']).toEqual(['c', 45, expect.closeTo(Math.sqrt(50), 9)]);
  await exclude(taskNamed('a'), true);
  expect((await found(100))['0']).toEqual(['c', 50, null]);
  await exclude(taskNamed('c'), true);
  expect((await found(100))['0'] ?? [null, null, null]).toEqual([null, null, null]);
  await Promise.all(['best', 'new', 'a', 'c'].map((id) => exclude(taskNamed(id), false)));
  expect(await found(100)).toEqual(all);
});

test('what a review holds back is not counted meanwhile', async () => {
  await store(resultOf(taskNamed('a'), 40, 9), resultOf(taskNamed('held'), 90, 8));
  await found(100);
  await rows().updateOne(
    { task_id: taskNamed('held'), project_id: project },
    { $set: { 'ai_review.held_back': true } },
  );
  expect((await found(100))['0']).toEqual(['a', 40, null]);
});

test('a result that began long ago and is still open is counted when it ends', async () => {
  const open: Partial<TaskResultDocument> = {
    status: 'running',
    created_at: daysAgo(5),
    closed_at: null,
    output_parameter_names: [],
  };
  await store(
    resultOf(taskNamed('a'), 40, 9),
    resultOf(taskNamed('slow'), 90, 4, open),
    resultOf(taskNamed('c'), 50, 3),
  );
  expect((await found(100))['0']).toEqual(['c', 45, expect.anything()]);
  await rows().updateOne(
    { task_id: taskNamed('slow'), project_id: project },
    { $set: { status: 'completed', closed_at: daysAgo(0.1), output_parameter_names: ['t1'] } },
  );
  expect((await found(100))['0']).toEqual(['slow', 60, expect.anything()]);
});

test('a metric whose better values changed is read again', async () => {
  await store(
    resultOf(taskNamed('a'), 40, 9),
    resultOf(taskNamed('b'), 60, 8),
    resultOf(taskNamed('c'), 50, 7),
  );
  expect((await found(2))['0']?.[0]).toBe('b');
  expect((await found(2, 'minimize'))['0']?.[0]).toBe('a');
  expect((await found(2, 'none'))['0']).toEqual([null, 50, 10]);
});

test('many who ask at once find the same', async () => {
  await store(
    ...Array.from({ length: 40 }, (_, index) => resultOf(taskNamed(`r${index}`), index, 40 - index)),
  );
  const answers = await Promise.all(Array.from({ length: 6 }, () => found(3)));
  const [first] = answers;
  expect(first?.['0']).toEqual(['r39', 19.5, expect.closeTo(Math.sqrt(1640 / 12), 9)]);
  for (const answer of [...answers, await found(3)]) expect(answer).toEqual(first);
});

test.each(['0001-01-01T00:00:00Z', '2026-05-24T00:00:00Z', '2030-01-01T00:00:00Z'])(
  'a result is counted whenever its backend says that it began: %s',
  async (began) => {
    await store(resultOf(taskNamed('a'), 40, 9), resultOf(taskNamed('b'), 60, 7));
    const before = await found(100);
    await store(resultOf(taskNamed('skewed'), 80, 0.5, { start_at: new Date(began) }));
    const all = { '0': ['skewed', 60, expect.closeTo(20, 9)] };
    expect(await found(100)).toEqual(all);
    expect(await found(100, 'maximize', daysAgo(-3)), 'as it is kept').toEqual(all);
    await exclude(taskNamed('skewed'), true);
    expect(await found(100, 'maximize', daysAgo(-3))).toEqual(before);
  },
);

test.each([1e9, 1e12, 1e200])(
  'a fit that ran away to %d leaves nothing behind once it is excluded',
  async (far) => {
    const regular = Array.from({ length: 50 }, (_, index) =>
      resultOf(taskNamed(`r${index}`), 50 + (index % 7), 40),
    );
    await store(...regular);
    const before = await found(100, 'minimize');
    await store(resultOf(taskNamed('away'), far, 0.5));
    await found(100, 'minimize', daysAgo(-3));
    await exclude(taskNamed('away'), true);
    const { '0': [best, mean, deviation] = [] } = await found(100, 'minimize', daysAgo(-3));
    const { '0': [bestBefore, meanBefore, deviationBefore] = [] } = before;
    expect(best).toBe(bestBefore);
    expect(mean).toBeCloseTo(meanBefore, 9);
    expect(deviation).toBeCloseTo(deviationBefore, 9);
  },
);

/** Changes what was measured, which nothing does: who reads it again finds another value. */
const change = (ids: readonly string[]) =>
  rows().updateMany(
    { project_id: project, task_id: { $in: ids.map(taskNamed) } },
    { $set: { 'output_parameters.t1.value': 1000 } },
  );

test('what is left once something is excluded is kept too, of its target alone', async () => {
  await store(
    resultOf(taskNamed('a'), 40, 9),
    resultOf(taskNamed('best'), 90, 8),
    resultOf(taskNamed('c'), 50, 7),
    resultOf(taskNamed('other'), 30, 7, { qid: '1' }),
  );
  await found(100);
  await change(['other']);
  await exclude(taskNamed('best'), true);
  const rest = { '0': ['c', 45, expect.closeTo(Math.sqrt(50), 9)], '1': ['other', 30, null] };
  expect(await found(100)).toEqual(rest);
  await change(['a', 'best', 'c']);
  expect(await found(100)).toEqual(rest);
});

test('an open result keeps no others from being kept', async () => {
  const open = { status: 'running', created_at: daysAgo(30), closed_at: null } as const;
  await store(resultOf(taskNamed('a'), 40, 9), resultOf(taskNamed('paused'), null, 30, open));
  const before = await found(100);
  await change(['a']);
  expect(await found(100)).toEqual(before);
});

test('results without a time of their end are counted, once they are there', async () => {
  const { closed_at: _, ...old } = resultOf(taskNamed('old'), 70, 20);
  await store(resultOf(taskNamed('a'), 40, 9), resultOf(taskNamed('b'), 60, 8));
  await found(100);
  await store(old);
  const expected = { '0': ['old', expect.closeTo(170 / 3, 9), expect.anything()] };
  expect(await found(100)).toEqual(expected);
  expect(await found(100)).toEqual(expected);
  await exclude(taskNamed('old'), true);
  expect((await found(100))['0']).toEqual(['b', 50, expect.anything()]);
});

test('of equally good ones the newest is the best, in whatever order they came and are counted', async () => {
  await store(
    resultOf(taskNamed('newest'), 60, 9, { start_at: daysAgo(7) }),
    resultOf(taskNamed('older'), 60, 8),
    resultOf(taskNamed('worse'), 50, 8),
  );
  expect((await found(100))['0']?.[0]).toBe('newest');
  await exclude(taskNamed('worse'), true);
  expect((await found(100))['0']?.[0]).toBe('newest');
  await store(resultOf(taskNamed('late'), 60, 0.5, { start_at: daysAgo(10) }));
  expect((await found(100))['0']?.[0]).toBe('newest');
});
