import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TaskResultDocument } from '../../../../shared/domain/results/model.ts';
import { keyOf, type TaskId } from '../../../../shared/kernel/ids.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';
import { type LabChip, type Laboratory, oneStage, openLaboratory } from '../../../support/laboratory.ts';

const DAY = 24 * 3600 * 1000;

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
});
afterAll(() => lab.close());

/** Measures T1 of four qubits, so many days ago. @returns the results, by qubit */
async function measured(place: LabChip, daysAgo: number): Promise<TaskResultDocument[]> {
  const { projectId } = place;
  const { execution_id } = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1', '2', '3']));
  expect((await lab.ended(projectId, execution_id)).status).toBe('completed');
  await lab.free(projectId);
  const at = new Date(Date.now() - daysAgo * DAY);
  await lab.database.db
    .collection<{ _id: string }>('executions')
    .updateOne({ _id: keyOf(projectId, execution_id) }, { $set: { start_at: at, end_at: at } });
  const results = await lab.tasksOf(projectId, execution_id);
  return results.sort((a, b) => a.qid.localeCompare(b.qid));
}

const filesOf = (result: TaskResultDocument) =>
  [...result.json_figure_path, ...result.raw_data_path].map(lab.pathOf);
const stored = (result: TaskResultDocument) => lab.areas.results.get(result.project_id, result.task_id);
const isWhole = (result: TaskResultDocument) => filesOf(result).every((path) => existsSync(path));
const isBare = (result: TaskResultDocument) => !filesOf(result).some((path) => existsSync(path));

test('files of old runs go by age, except those that something refers to; a preview says so before', async () => {
  const place = await lab.newProject();
  const { projectId } = place;
  const old = await measured(place, 40);
  const current = await measured(place, 35);
  const recent = await measured(place, 1);
  const [plain, noted, excluded, discussed] = old;
  if (!plain || !noted || !excluded || !discussed) throw new Error('four results');
  expect([...old, ...current, ...recent].map((each) => filesOf(each).length > 0)).toEqual(
    Array(12).fill(true),
  );
  // The newest values are of qubits 0 to 3; those of qubit 3 come from the run before.
  await lab.database.db
    .collection<{ _id: string }>('qubits')
    .updateOne(
      { _id: keyOf(projectId, place.chipId, '3') },
      { $set: { 'data.t1.task_id': current[3]?.task_id } },
    );
  const ada = { user_id: userNamed('usr_ada'), username: 'ada' };
  await lab.areas.results.exclude(projectId, excluded.task_id, { excluded: false, reason: '' }, ada);
  const tasks = lab.database.db.collection<{ _id: string }>('task_results');
  const note = { content: 'odd', updated_by: 'ada', updated_at: new Date() };
  await tasks.updateOne({ _id: keyOf(projectId, noted.task_id) }, { $set: { user_note: note } });
  const issue_id = newId();
  await lab.database.db
    .collection<{ _id: string; project_id: string; issue_id: string; task_id: TaskId }>('issues')
    .insertOne({
      ...{ _id: keyOf(projectId, issue_id), issue_id },
      project_id: projectId,
      task_id: discussed.task_id,
    });

  const { retention } = lab.areas;
  const rule = { max_age_days: 30, max_gib: null };
  const expected = {
    ...{ runs: 2, results: 4, files: expect.any(Number) },
    kept: { current_value: 1, note: 1, issue: 1, exclusion: 1, knowledge_case: 0 },
  };
  const preview = await retention.preview(projectId, rule);
  expect(preview).toMatchObject(expected);
  expect([...old, ...current].every(isWhole)).toBe(true);

  await retention.set(projectId, rule, 'ada');
  await retention.collect();
  expect((await retention.get(projectId)).last_outcome).toEqual(preview);
  expect([plain, ...current.slice(0, 3)].every(isBare)).toBe(true);
  expect([noted, excluded, discussed, ...current.slice(3), ...recent].every(isWhole)).toBe(true);
  expect(await stored(plain)).toMatchObject({
    ...{ status: 'completed', raw_data_path: [], json_figure_path: [], figure_path: [] },
    files_deleted_at: expect.any(Date),
  });
  expect((await stored(plain))?.revision).toBeGreaterThan(plain.revision ?? 0);
  expect(await stored(noted)).toMatchObject({ raw_data_path: noted.raw_data_path });
  // What is gone is counted once; a rule that is not due deletes nothing.
  expect(await retention.preview(projectId, rule)).toMatchObject({ results: 0, files: 0, bytes: 0 });
  expect((await retention.get(projectId)).last_round_at).not.toBeNull();
});

test('by size, the oldest runs lose their files until the rest fits', async () => {
  const place = await lab.newProject();
  const { projectId } = place;
  const [oldest, newest] = [await measured(place, 3), await measured(place, 2)];
  // Of the newest run everything is current.
  const { retention } = lab.areas;
  expect(await retention.preview(projectId, { max_age_days: null, max_gib: 1000 })).toMatchObject({
    files: 0,
  });
  await retention.set(projectId, { max_age_days: null, max_gib: 0 }, 'ada');
  await retention.collect();
  expect(oldest.every(isBare)).toBe(true);
  expect(newest.every(isWhole)).toBe(true);
  expect((await retention.get(projectId)).last_outcome).toMatchObject({
    ...{ runs: 1, results: 4 },
    kept: { current_value: 4 },
  });
});

test('a project without a rule keeps everything', async () => {
  const place = await lab.newProject();
  const results = await measured(place, 10_000);
  await lab.areas.retention.collect();
  expect(results.every(isWhole)).toBe(true);
  const { retention } = lab.areas;
  expect(await retention.get(place.projectId)).toMatchObject({ max_age_days: null, max_gib: null });
  expect(await retention.preview(place.projectId, { max_age_days: null, max_gib: null })).toMatchObject({
    files: 0,
  });
});
