import type { Collection, Db, Filter, IndexDescription, Sort, SortDirection, UpdateFilter } from 'mongodb';
import { expect, test } from 'vitest';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { indexes, SAMPLES, type Sample } from './samples.ts';
import { withDatabase } from './stores.ts';

const QUESTIONS = 600;

const sorts: readonly Record<string, SortDirection>[] = [
  { n: -1, name: 1 },
  { n: 1, name: -1 },
  { n: 1, name: 1 },
  { name: 1 },
  { name: -1 },
  { status: 1, n: -1, name: 1 },
  { status: -1, n: 1, name: -1 },
  { 'note.at': -1, name: 1 },
];

/** Documents, changes and questions that are the same at each run. */
function createDraws() {
  const { uniform: random } = randomFrom('secondary indexes');
  const pick = <T>(list: readonly T[]): T => {
    const picked = list[Math.floor(random() * list.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  };
  const values: Record<string, readonly (() => unknown)[]> = {
    n: [
      () => null,
      () => Math.round(random() * 8) - 4,
      () => 1.5,
      () => 2 ** 53,
      () => new Date(random() * 1e13),
    ],
    status: [() => 'open', () => 'done', () => '', () => 'é', () => 'a\u0000b'],
    tags: [() => [], () => ['k'], () => ['k', 'l'], () => ['m', null], () => null, () => 'k'],
    mixed: [() => true, () => false, () => ({ z: 1 }), () => [1, 2], () => 3, () => 'text', () => null],
    note: [
      () => ({}),
      () => ({ at: pick([1, 2, 3]) }),
      () => ({ at: null }),
      () => null,
      () => [{ at: 1 }, {}],
    ],
  };
  const drawOf = (field: string) => pick(values[field] ?? [])();
  let made = 0;

  const asked = (field: string): unknown => {
    const value = () => {
      if (field === 'note.at') return pick([1, 2, 4, null]);
      if (field === 'tags') return pick(['k', 'l', 'nowhere', null]);
      return field === 'mixed' ? pick([true, 3, 'text', null]) : drawOf(field);
    };
    return pick([
      value,
      value,
      () => ({ $in: [value(), value(), value()] }),
      () => ({ $gte: value() }),
      () => ({ $gt: value(), $lte: value() }),
      () => ({ $lt: value() }),
      () => ({ $ne: value() }),
      () => ({ $exists: pick([true, false]) }),
      () => ({ $eq: value() }),
    ])();
  };

  return {
    pick,
    sample(): Sample {
      const fields = Object.keys(values).filter(() => random() < 0.9);
      const name = `s${String(made++).padStart(5, '0')}`;
      return {
        _id: name,
        project: pick(['p', 'q', 'p\u0000']),
        name,
        ...Object.fromEntries(fields.map((field) => [field, drawOf(field)])),
      };
    },
    change(): { filter: Filter<Sample>; update: UpdateFilter<Sample> } {
      const field = pick(Object.keys(values));
      const filter = { _id: `s${String(Math.floor(random() * made)).padStart(5, '0')}` };
      return random() < 0.8
        ? { filter, update: { $set: { [field]: drawOf(field) } } }
        : { filter, update: { $unset: { [field]: 1 } } };
    },
    filter(): Filter<Sample> {
      const fields = ['n', 'status', 'tags', 'mixed', 'note.at'].filter(() => random() < 0.3);
      return {
        project: pick(['p', 'p', 'q', 'p\u0000', 'r']),
        ...Object.fromEntries(fields.map((field) => [field, asked(field)])),
        ...(random() < 0.05 ? { $or: [{ status: 'open' }, { n: 1 }] } : {}),
      };
    },
  };
}

type Draws = ReturnType<typeof createDraws>;

/** One way of asking; answers without an order of their own are sorted. */
function questionOf({ pick, filter }: Draws): (samples: Collection<Sample>) => Promise<unknown> {
  const asked = filter();
  const sort: Sort = pick(sorts);
  const field = pick(['status', 'n']);
  const limit = pick([0, 3, 10]);
  const skip = pick([0, 2]);
  const inOrder = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
  const match = { $match: asked };
  return pick<(samples: Collection<Sample>) => Promise<unknown>>([
    (samples) => samples.find(asked).sort(sort).skip(skip).limit(limit).toArray(),
    (samples) => samples.find(asked).sort(sort).skip(skip).limit(limit).toArray(),
    (samples) =>
      samples
        .find(asked, { projection: { _id: 1, tags: 1 } })
        .sort(sort)
        .skip(skip)
        .limit(limit)
        .toArray(),
    async (samples) => inOrder(await samples.find(asked).toArray()),
    (samples) => samples.countDocuments(asked),
    async (samples) => inOrder((await samples.distinct(field, asked)).map((value) => ({ value }))),
    async (samples) =>
      inOrder(
        await samples.aggregate([match, { $group: { _id: `$${field}`, count: { $sum: 1 } } }]).toArray(),
      ),
    async (samples) =>
      inOrder(
        await samples
          .aggregate([
            match,
            { $sort: { status: 1, n: -1, name: 1 } },
            { $group: { _id: '$status', first: { $first: '$_id' } } },
          ])
          .toArray(),
      ),
  ]);
}

/** Puts the same changes to both collections between questions, and compares all answers. */
async function compareAnswers(database: Db): Promise<{ asked: number; answered: number }> {
  const draws = createDraws();
  const indexed = database.collection<Sample>('indexed');
  const plain = database.collection<Sample>('plain');
  await indexed.createIndexes([...indexes]);
  const first = Array.from({ length: SAMPLES }, () => draws.sample());
  for (const collection of [indexed, plain]) await collection.insertMany(first.map((each) => ({ ...each })));
  let answered = 0;
  for (let question = 0; question < QUESTIONS; question += 1) {
    const { filter, update } = draws.change();
    const added = draws.sample();
    for (const collection of [indexed, plain]) {
      await collection.updateOne(filter, update);
      if (question % 7 === 0) await collection.insertOne({ ...added });
      if (question % 11 === 0) await collection.deleteOne(filter);
    }
    const ask = questionOf(draws);
    const found = await ask(indexed);
    expect(found, `question ${question}`).toEqual(await ask(plain));
    if (Array.isArray(found) ? found.length > 0 : found !== 0) answered += 1;
  }
  return { asked: QUESTIONS, answered };
}

test('a collection with indexes answers every question as one without, whatever is changed in between', () =>
  withDatabase(async (database) => {
    const { asked, answered } = await compareAnswers(database);
    expect(answered).toBeGreaterThan(asked / 3);
  }));

/** A collection with an index and one without, of the same documents. */
async function withAndWithout(database: Db, index: IndexDescription, samples: readonly Sample[]) {
  const indexed = database.collection<Sample>('indexed');
  const plain = database.collection<Sample>('plain');
  await indexed.createIndexes([index]);
  for (const collection of [indexed, plain])
    await collection.insertMany(samples.map((each) => ({ ...each })));
  return { indexed, plain };
}

test('groups by the first field of an index are found from its last value on as well', () =>
  withDatabase(async (database) => {
    const samples = Array.from(
      { length: SAMPLES },
      (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, n: n % 7 }),
    );
    const { indexed, plain } = await withAndWithout(database, { key: { n: 1, name: 1 } }, samples);
    const ask = (collection: Collection<Sample>) =>
      collection
        .aggregate([
          { $match: { n: { $gte: 3 } } },
          { $sort: { n: -1, name: -1 } },
          { $group: { _id: '$n', last: { $first: '$name' } } },
          { $sort: { _id: 1 } },
        ])
        .toArray();
    const found = await ask(indexed);
    expect(found).toHaveLength(4);
    expect(found).toEqual(await ask(plain));
  }));

test('the first of each of some values is found, and nothing of values that are not there', () =>
  withDatabase(async (database) => {
    const samples = Array.from(
      { length: SAMPLES },
      (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, status: `of ${n % 9}`, n }),
    );
    const key = { project: 1, status: 1, n: -1, name: 1 };
    const { indexed, plain } = await withAndWithout(database, { key }, samples);
    for (const n of [-1, 1] as const) {
      const ask = (collection: Collection<Sample>) =>
        collection
          .aggregate([
            { $match: { project: 'p', status: { $in: ['of 3', 'of 7', 'of 99', 'of 3'] } } },
            { $sort: { status: -n, n, name: -n } },
            { $group: { _id: '$status', first: { $first: '$name' } } },
            { $sort: { _id: 1 } },
          ])
          .toArray();
      const found = await ask(indexed);
      expect(found).toHaveLength(2);
      expect(found).toEqual(await ask(plain));
    }
  }));

test('fields that are not shown give the order as well, with an index and without', () =>
  withDatabase(async (database) => {
    const draws = createDraws();
    const samples = Array.from({ length: SAMPLES }, () => draws.sample());
    for (const name of ['indexed', 'plain']) {
      const documents = database.collection<Sample>(name);
      if (name === 'indexed') await documents.createIndexes([...indexes]);
      await documents.insertMany(samples.map((each) => ({ ...each })));
      for (const sort of sorts) {
        const whole = await documents.find({}).sort(sort).toArray();
        const shown = await documents
          .find({})
          .sort(sort)
          .skip(2)
          .limit(300)
          .project({ _id: 0, name: 1 })
          .toArray();
        expect(shown).toEqual(whole.slice(2, 302).map(({ name }) => ({ name })));
      }
    }
  }));

test('many documents of most of a collection come in the order of an index', () =>
  withDatabase(async (database) => {
    const documents = database.collection<Sample>('documents');
    await documents.createIndex({ project: 1, n: -1, name: 1 });
    const count = 11_000;
    await documents.insertMany(
      Array.from(
        { length: count },
        (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, n: (n * 7) % count }),
      ),
    );
    await documents.insertOne({ _id: 'other', project: 'q', name: 'other', n: 1 });
    const found = await documents
      .find({ project: 'p' })
      .sort({ n: -1, name: 1 })
      .project<{ n: number }>({ _id: 0, n: 1 })
      .toArray();
    expect(found.map(({ n }) => n)).toEqual(Array.from({ length: count }, (_, n) => count - 1 - n));
  }));

test('an index of more entries than are sorted at once has all of them, in order', () =>
  withDatabase(async (database) => {
    const documents = database.collection<Sample>('documents');
    await documents.createIndex({ project: 1, tags: 1, n: 1, name: 1 });
    const tags = Array.from({ length: 60 }, (_, tag) => `t${tag}`);
    const made = Array.from(
      { length: 4_000 },
      (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, n: (n * 7) % 4_000, tags }),
    );
    for (let from = 0; from < made.length; from += 1_000)
      await documents.insertMany(made.slice(from, from + 1_000));
    const found = await documents
      .find({ project: 'p', tags: 't59', n: { $gte: 10 } })
      .sort({ n: 1, name: 1 })
      .project<{ n: number }>({ _id: 0, n: 1 })
      .toArray();
    expect(found.map(({ n }) => n)).toEqual(Array.from({ length: 3_990 }, (_, n) => n + 10));
  }));

test('an aggregation by ids sees each document once that is there and matches', () =>
  withDatabase(async (database) => {
    const samples = Array.from(
      { length: SAMPLES },
      (_, n): Sample => ({ _id: String(n), project: n % 2 ? 'p' : 'q', name: `s${n}`, n }),
    );
    const documents = database.collection<Sample>('documents');
    await documents.createIndex({ project: 1, name: 1 }, { unique: true });
    await documents.insertMany(samples);
    const found = async (match: Filter<Sample>) =>
      (await documents.aggregate<{ _id: string }>([{ $match: match }, { $sort: { n: -1 } }]).toArray()).map(
        ({ _id }) => _id,
      );
    expect(await found({ _id: { $in: ['7', '301', 'none', '8', '7'] }, project: 'p' })).toEqual(['301', '7']);
    expect(await found({ _id: '8', project: 'q' })).toEqual(['8']);
    expect(await found({ _id: '8', project: 'p' })).toEqual([]);
    expect(await found({ project: 'p', name: 's9', n: { $gt: 3 } })).toEqual(['9']);
  }));

test('a count by a field does not look up each of millions of values that the fields after it may have together', () =>
  withDatabase(async (database) => {
    const samples = Array.from(
      { length: SAMPLES },
      (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, status: n % 2 ? 'open' : 'done', n }),
    );
    const key = { project: 1, status: 1, n: 1, name: 1 };
    const { indexed, plain } = await withAndWithout(database, { key }, samples);
    const many = Array.from({ length: 4_000 }, (_, n) => n);
    const ask = (collection: Collection<Sample>) =>
      collection
        .aggregate([
          { $match: { project: 'p', n: { $in: many }, name: { $in: many.map((n) => `s${n}`) } } },
          { $group: { _id: '$status', count: { $sum: 1 } } },
        ])
        .toArray();
    const inOrder = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const found = inOrder(await ask(indexed));
    expect(found).toHaveLength(2);
    expect(found).toEqual(inOrder(await ask(plain)));
  }));

test('the newest of 20,000 documents are found without a look at the others', () =>
  withDatabase(async (database) => {
    const documents = database.collection<Sample>('documents');
    await documents.createIndex({ project: 1, n: -1, name: 1 });
    const made = Array.from(
      { length: 20_000 },
      (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, n: n % 5_000 }),
    );
    for (let from = 0; from < made.length; from += 4_000)
      await documents.insertMany(made.slice(from, from + 4_000));
    const byIndex = () => documents.find({ project: 'p' }).sort({ n: -1, name: 1 }).limit(10).toArray();
    const byScan = () => documents.find({ project: 'p' }).sort({ status: -1, name: 1 }).limit(10).toArray();
    const fastest = async (ask: () => Promise<unknown>) => {
      const took: number[] = [];
      for (let time = 0; time < 10; time += 1) {
        const since = performance.now();
        await ask();
        took.push(performance.now() - since);
      }
      return Math.min(...took);
    };
    await byIndex();
    expect(await fastest(byIndex)).toBeLessThan((await fastest(byScan)) / 2);
  }));
