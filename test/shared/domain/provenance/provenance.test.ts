import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EndedTask } from '../../../../shared/domain/provenance/index.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { type Laboratory, openLaboratory } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

function task(place: { project_id: string; chip_id?: string }, value: number, ended = new Date()): EndedTask {
  return {
    project_id: place.project_id,
    chip_id: place.chip_id ?? 'CHIP',
    execution_id: '20261121-000',
    task_id: newId(),
    task_name: 'CheckT1',
    task_type: 'qubit',
    qid: '0',
    status: 'completed',
    started_at: ended,
    ended_at: ended,
    outputs: [{ parameter_name: 't1', value, value_type: 'float', unit: 'us', error: 1 }],
    used_entities: [],
  };
}

const history = (project_id: string) => lab.areas.provenance.history(project_id, 't1', '0', 10);
const heads = () => lab.database.db.collection<{ _id: string }>('provenance_heads');

test('a writer that was killed before it noted the current version does not hold up a later one', async () => {
  const project_id = newId();
  await lab.areas.provenance.add(task({ project_id }, 40));
  await heads().deleteOne({ _id: `${project_id}/CHIP/0` });
  await lab.areas.provenance.add(task({ project_id }, 41));
  const { versions } = await history(project_id);
  expect(versions.map(({ version, value }) => [version, value])).toEqual([
    [2, 41],
    [1, 40],
  ]);
});

test('a late repeat of an old task changes no newer version', async () => {
  const project_id = newId();
  const old = task({ project_id }, 40, new Date(Date.now() - 60_000));
  await lab.areas.provenance.add(old);
  await lab.areas.provenance.add(task({ project_id }, 41));
  const before = await history(project_id);
  await lab.areas.provenance.add(old);
  expect(await history(project_id)).toEqual(before);
  expect(before.versions[0]?.valid_until).toBeNull();
  const lineage = await lab.areas.provenance.lineage(project_id, before.versions[1]?.entity_id ?? '', 5);
  expect(lineage?.edges.map((edge) => edge.relation_type)).toEqual(['wasGeneratedBy']);
});

test('many tasks at once count their versions without a gap and leave one current', async () => {
  const project_id = newId();
  await Promise.all(
    Array.from({ length: 8 }, (_, value) => lab.areas.provenance.add(task({ project_id }, value))),
  );
  const { versions } = await history(project_id);
  expect(versions.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('versions count per chip: the same qubit of two chips has a first version each', async () => {
  const project_id = newId();
  await lab.areas.provenance.add(task({ project_id, chip_id: 'A' }, 40));
  await lab.areas.provenance.add(task({ project_id, chip_id: 'B' }, 50));
  const { versions } = await history(project_id);
  expect(versions.map(({ chip_id, version }) => [chip_id, version]).sort()).toEqual([
    ['A', 1],
    ['B', 1],
  ]);
});
