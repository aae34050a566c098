import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type EndedTask, provenance } from '../../../../shared/domain/provenance/index.ts';
import { connectDatabase, type Db } from '../../../../shared/kernel/database.ts';
import type { ProjectId } from '../../../../shared/kernel/ids.ts';
import { createLog } from '../../../../shared/kernel/log.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { executionNamed, projectNamed, taskNamed } from '../../../support/ids.ts';
import { type Laboratory, openLaboratory } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

function task(
  place: { project_id: ProjectId; chip_id?: string },
  value: number,
  ended = new Date(),
): EndedTask {
  return {
    project_id: place.project_id,
    chip_id: place.chip_id ?? 'CHIP',
    execution_id: executionNamed('20261121-000'),
    task_id: taskNamed(newId()),
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

const history = (project_id: ProjectId) => lab.areas.provenance.history(project_id, 't1', '0', 10);
const heads = () => lab.database.db.collection<{ _id: string }>('provenance_heads');

test('a writer that was killed before it noted the current version does not hold up a later one', async () => {
  const project_id = projectNamed(newId());
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
  const project_id = projectNamed(newId());
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

test('ten writers of one parameter at once give ten consecutive versions, one of them current', async () => {
  const project_id = projectNamed(newId());
  const now = Date.now();
  await Promise.all(
    Array.from({ length: 10 }, (_, value) =>
      lab.areas.provenance.add(task({ project_id }, value, new Date(now - 1000 * value))),
    ),
  );
  const { versions } = await history(project_id);
  expect(versions.map(({ version }) => version)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(versions.map(({ valid_until }) => valid_until)).toEqual([
    null,
    ...versions.slice(0, -1).map(({ valid_from }) => valid_from),
  ]);
  const [current] = versions;
  const lineage = await lab.areas.provenance.lineage(project_id, current?.entity_id ?? '', 20);
  const derived = lineage?.edges.filter((edge) => edge.relation_type === 'wasDerivedFrom') ?? [];
  expect(derived.map(({ source_id, target_id }) => [source_id, target_id])).toEqual(
    versions.slice(0, -1).map(({ entity_id }, index) => [entity_id, versions[index + 1]?.entity_id]),
  );
});

test('tasks that are added together have versions in their order, also beside another writer and after one that died between them', async () => {
  const project_id = projectNamed(newId());
  const { provenance } = lab.areas;
  await provenance.add(task({ project_id }, 40));
  const head = await heads().findOne({ _id: `${project_id}/CHIP/0` });
  await provenance.add(task({ project_id }, 41));
  // Nobody knows of the second yet.
  if (head) await heads().replaceOne({ _id: head._id }, head);
  const together = [42, 43, 44].map((value) => task({ project_id }, value));
  await provenance.addInOrder(together);
  const ofHistory = async () =>
    (await history(project_id)).versions.map(({ version, value }) => [version, value]);
  const all = [5, 4, 3, 2, 1].map((version) => [version, 39 + version]);
  expect(await ofHistory()).toEqual(all);
  const stored = lab.database.db.collection<{ _id: string }>('provenance_entities');
  const whole = await stored.find({ project_id }).sort({ version: 1 }).toArray();
  // As if it had died when the first of them was stored.
  await stored.deleteMany({ project_id, version: { $gt: 3 } });
  await stored.updateMany({ project_id, version: { $gt: 1 } }, { $set: { valid_until: null } });
  if (head) await heads().replaceOne({ _id: head._id }, head);
  await provenance.addInOrder(together);
  expect(await ofHistory()).toEqual(all);
  expect(await stored.find({ project_id }).sort({ version: 1 }).toArray()).toEqual(whole);
});

test('the version of a writer that died before it ended the previous one is ended by the next writer', async () => {
  const project_id = projectNamed(newId());
  await lab.areas.provenance.add(task({ project_id }, 40));
  const head = await heads().findOne({ _id: `${project_id}/CHIP/0` });
  const cut = task({ project_id }, 41);
  await lab.areas.provenance.add(cut);
  // As if the second had died right after its version was stored.
  const entities = lab.database.db.collection<{ _id: string }>('provenance_entities');
  await entities.updateMany({ project_id, version: 1 }, { $set: { valid_until: null } });
  await lab.database.db
    .collection('provenance_relations')
    .deleteMany({ project_id, relation_type: 'wasDerivedFrom' });
  if (head) await heads().replaceOne({ _id: head._id }, head);
  await lab.areas.provenance.add(task({ project_id }, 42));
  const { versions } = await history(project_id);
  expect(versions.map(({ version, value }) => [version, value])).toEqual([
    [3, 42],
    [2, 41],
    [1, 40],
  ]);
  expect(versions.map(({ valid_until }) => valid_until)).toEqual([
    null,
    versions[0]?.valid_from,
    versions[1]?.valid_from,
  ]);
  // Its activity is repeated at last, and completes what it left undone.
  await lab.areas.provenance.add(cut);
  const lineage = await lab.areas.provenance.lineage(project_id, versions[0]?.entity_id ?? '', 5);
  expect(lineage?.edges.filter((edge) => edge.relation_type === 'wasDerivedFrom')).toHaveLength(2);
  expect((await history(project_id)).versions).toEqual(versions);
});

test('what an earlier release stored, with its relations alone, has the same lineage and changes', async () => {
  const project_id = projectNamed(newId());
  const { provenance } = lab.areas;
  const { db } = lab.database;
  const first = task({ project_id }, 40);
  await provenance.add(first);
  const [input] = (await history(project_id)).versions;
  await provenance.add({ ...task({ project_id }, 41), used_entities: [input?.entity_id ?? ''] });
  const [newest] = (await history(project_id)).versions;
  const asked = () =>
    Promise.all([
      provenance.lineage(project_id, newest?.entity_id ?? '', 5),
      provenance.changes(project_id, { limit: 10, hours: 1, names: [] }),
    ]);
  const before = await asked();
  expect(before[0]?.edges.map(({ relation_type }) => relation_type)).toEqual([
    'wasGeneratedBy',
    'wasDerivedFrom',
    'used',
    'wasGeneratedBy',
  ]);
  expect(before[1].changes.map(({ previous_value, value }) => [previous_value, value])).toEqual([[40, 41]]);
  // By what versions and activities say themselves, relations are not asked.
  const relations = db.collection('provenance_relations');
  const related = await relations.find({ project_id }).toArray();
  await relations.deleteMany({ project_id });
  expect(await asked()).toEqual(before);
  await relations.insertMany(related);
  await db.collection('provenance_entities').updateMany({ project_id }, { $unset: { previous: '' } });
  await db.collection('provenance_activities').updateMany({ project_id }, { $unset: { used: '' } });
  expect(await asked()).toEqual(before);
});

test('runs of two chips that end at once do not meet', async () => {
  const project_id = projectNamed(newId());
  await Promise.all(
    ['A', 'B'].flatMap((chip_id) =>
      [1, 2, 3].map((value) => lab.areas.provenance.add(task({ project_id, chip_id }, value))),
    ),
  );
  const { versions } = await history(project_id);
  for (const chip of ['A', 'B']) {
    const own = versions.filter(({ chip_id }) => chip_id === chip);
    expect(own.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(own.filter(({ valid_until }) => valid_until === null)).toHaveLength(1);
  }
});

test('versions count per chip: the same qubit of two chips has a first version each', async () => {
  const project_id = projectNamed(newId());
  await lab.areas.provenance.add(task({ project_id, chip_id: 'A' }, 40));
  await lab.areas.provenance.add(task({ project_id, chip_id: 'B' }, 50));
  const { versions } = await history(project_id);
  expect(versions.map(({ chip_id, version }) => [chip_id, version]).sort()).toEqual([
    ['A', 1],
    ['B', 1],
  ]);
});

test('a task that follows the one added before it is added without a look at the versions, and rightly where somebody else came between', async () => {
  const project_id = projectNamed(newId());
  const listening = await connectDatabase(inject('mongodb'), lab.database.db.databaseName, {
    monitorCommands: true,
  });
  onTestFinished(() => listening.close());
  const read: string[] = [];
  listening.client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') read.push(String(command[commandName]));
  });
  const { engine, settings } = lab;
  const create = (db: Db) => provenance.create({ db, engine, settings, log: createLog('test', 'SILENT') });
  const own = create(listening.db);
  const first = task({ project_id }, 40);
  await own.add(first);
  const second = { ...task({ project_id }, 41), after: first.task_id };
  await own.add(second);
  read.length = 0;
  const third = { ...task({ project_id }, 42), after: second.task_id };
  await own.add(third);
  expect(read).toEqual([]);
  // Of what another process adds this one knows nothing.
  await create(lab.database.db).add(task({ project_id }, 43));
  await own.add({ ...task({ project_id }, 44), after: third.task_id });
  const { versions } = await history(project_id);
  expect(versions.map(({ version, value }) => [version, value])).toEqual([
    [5, 44],
    [4, 43],
    [3, 42],
    [2, 41],
    [1, 40],
  ]);
  expect(versions.map(({ valid_until }) => valid_until)).toEqual([
    null,
    ...versions.slice(0, -1).map(({ valid_from }) => valid_from),
  ]);
});
