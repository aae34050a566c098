import { type Filter, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { type Counted, withCollection, withDatabase } from './stores.ts';

const DUPLICATE_KEY = 11000;

test('a compare-and-set with 20 concurrent writers has one winner, round after round', () =>
  withCollection(async (collection) => {
    for (let round = 0; round < 20; round++) {
      const _id = `lock-${round}`;
      await collection.insertOne({ _id, status: 'free' });
      const wins = await Promise.all(
        Array.from({ length: 20 }, (_, winner) =>
          collection.updateOne({ _id, status: 'free' }, { $set: { status: 'held', winner } }),
        ),
      );
      expect(wins.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(1);
      const winner = wins.findIndex(({ modifiedCount }) => modifiedCount === 1);
      expect(await collection.findOne({ _id })).toEqual({ _id, status: 'held', winner });
    }
  }));

test('findOneAndUpdate hands a document to one of 20 takers', () =>
  withCollection(async (collection) => {
    await collection.insertOne({ _id: 'job', status: 'open' });
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, winner) =>
        collection.findOneAndUpdate({ _id: 'job', status: 'open' }, { $set: { status: 'taken', winner } }),
      ),
    );
    expect(taken.filter((document) => document !== null)).toHaveLength(1);
  }));

test('200 concurrent increments give 200', () =>
  withCollection(async (collection) => {
    await collection.insertOne({ _id: 'count', n: 0 });
    await Promise.all(
      Array.from({ length: 200 }, () => collection.updateOne({ _id: 'count' }, { $inc: { n: 1 } })),
    );
    expect(await collection.findOne({ _id: 'count' })).toEqual({ _id: 'count', n: 200 });
  }));

test('concurrent upserts of one new unique key end with one document', () =>
  withCollection(async (collection) => {
    await collection.createIndex({ project: 1, n: 1 }, { unique: true });
    for (let n = 0; n < 20; n++) {
      const upsert = () =>
        collection.updateOne({ project: 'p', n }, { $inc: { winner: 1 } }, { upsert: true });
      await Promise.all(Array.from({ length: 20 }, () => upsert().catch(onceMoreIfDuplicate(upsert))));
      const found = await collection.find({ project: 'p', n }).toArray();
      expect(found.map(({ winner }) => winner)).toEqual([20]);
    }
  }));

test('a unique index refuses a second document with its key, inserted or updated', () =>
  withCollection(async (collection) => {
    await collection.createIndex({ project: 1, n: 1 }, { unique: true });
    await collection.insertMany([
      { _id: 'a', project: 'p', n: 1 },
      { _id: 'b', project: 'p', n: 2 },
      { _id: 'c', project: 'q', n: 1 },
    ]);
    await expect(collection.insertOne({ _id: 'd', project: 'p', n: 1 })).rejects.toMatchObject({
      code: DUPLICATE_KEY,
    });
    await expect(collection.updateOne({ _id: 'b' }, { $set: { n: 1 } })).rejects.toMatchObject({
      code: DUPLICATE_KEY,
    });
    await collection.deleteOne({ _id: 'a' });
    await collection.updateOne({ _id: 'b' }, { $set: { n: 1 } });
    expect(await collection.findOne({ project: 'p', n: 1 })).toEqual({ _id: 'b', project: 'p', n: 1 });
    expect(await collection.findOne({ project: 'p', n: 2 })).toBeNull();
  }));

test('a unique index distinguishes numbers that are nearly the same', () =>
  withCollection(async (collection) => {
    await collection.createIndex({ n: 1 }, { unique: true });
    const numbers = [5_000_000_000, 5_000_000_000.5, 0.1, 0.2, -1, Number.MAX_SAFE_INTEGER];
    await collection.insertMany(numbers.map((n, i) => ({ _id: String(i), n })));
    for (const [i, n] of numbers.entries()) {
      expect(await collection.findOne({ n })).toEqual({ _id: String(i), n });
      await expect(collection.insertOne({ _id: `again-${i}`, n })).rejects.toMatchObject({
        code: DUPLICATE_KEY,
      });
    }
  }));

test('a query with conditions beside a unique key answers as one without an index would', () =>
  withCollection(async (collection) => {
    await collection.createIndex({ project: 1, n: 1 }, { unique: true });
    await collection.insertMany([
      { _id: 'a', project: 'p', n: 1, status: 'open' },
      { _id: 'b', project: 'p', n: 2, status: 'done' },
      { _id: 'c', project: 'q', n: 1, status: 'open' },
      { _id: 'd', status: 'open' },
    ]);
    const ids = async (filter: Parameters<typeof collection.find>[0]) =>
      (await collection.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    expect(await ids({ _id: 'a', status: 'open' })).toEqual(['a']);
    expect(await ids({ _id: 'a', status: 'done' })).toEqual([]);
    expect(await ids({ _id: { $eq: 'b' }, status: 'done' })).toEqual(['b']);
    expect(await ids({ _id: { $in: ['a', 'b', 'x'] }, status: 'open' })).toEqual(['a']);
    expect(await ids({ _id: { $gt: 'a' }, status: 'open' })).toEqual(['c', 'd']);
    expect(await ids({ _id: { $in: ['a', 'b', 'c'], $ne: 'a' } })).toEqual(['b', 'c']);
    expect(await ids({ _id: 'a', $or: [{ status: 'done' }, { n: 1 }] })).toEqual(['a']);
    expect(await ids({ project: 'p', n: 2, status: { $ne: 'open' } })).toEqual(['b']);
    expect(await ids({ project: 'p', n: { $in: [1, 2] }, status: 'done' })).toEqual(['b']);
    expect(await ids({ project: 'p', status: 'open' })).toEqual(['a']);
    expect(await ids({ project: null, n: null, status: 'open' })).toEqual(['d']);
    expect(await collection.countDocuments({ _id: 'a', status: 'open' })).toBe(1);
    expect((await collection.deleteOne({ project: 'q', n: 1, status: 'done' })).deletedCount).toBe(0);
    expect((await collection.deleteOne({ project: 'q', n: 1, status: 'open' })).deletedCount).toBe(1);
  }));

test('documents of many ids are those of them that are there, whatever else a query asks', () =>
  withDatabase(async (database) => {
    const documents = database.collection<{ _id: string | number; n: number }>('documents');
    const stored = Array.from({ length: 300 }, (_, n) => ({ _id: n % 3 === 0 ? n : `id ${n}`, n }));
    await documents.insertMany(stored);
    const found = async (filter: Filter<{ _id: string | number; n: number }>) =>
      (await documents.find(filter).sort({ n: 1 }).toArray()).map(({ n }) => n);
    const texts = ['id 1', 'id 200', 'id 2', 'id 3', 'id 1', 'nowhere'];
    expect(await found({ _id: { $in: texts } })).toEqual([1, 2, 200]);
    expect(await found({ _id: { $in: [...texts, 3, 4] } })).toEqual([1, 2, 3, 200]);
    expect(await found({ _id: { $in: texts }, n: { $gt: 1 } })).toEqual([2, 200]);
    expect(await found({ _id: { $in: texts, $ne: 'id 2' } })).toEqual([1, 200]);
    expect(await found({ _id: { $in: [] } })).toEqual([]);
    await documents.updateMany({ _id: { $in: texts } }, { $set: { n: -1 } });
    expect(await documents.countDocuments({ n: -1 })).toBe(3);
  }));

test('a query gets the fields it names, of documents within documents and arrays too', () =>
  withDatabase(async (database) => {
    const documents = database.collection<{ _id: string }>('documents');
    const stored = {
      _id: 'a',
      n: 1,
      none: null,
      data: { t1: { value: 3, unit: 'us', error: 0.1 }, t2: { value: null }, t3: 7 },
      list: [{ a: 1, b: 2 }, 3, { b: 4 }, [{ a: 5, b: 6 }]],
    };
    await documents.insertOne(stored);
    const asked = async (projection: Record<string, unknown>) =>
      documents.find({}).project(projection).next();
    expect(await asked({ n: 1, 'data.t1.value': 1, 'data.t1.unit': true, 'data.t2.value': 1 })).toEqual({
      _id: 'a',
      n: 1,
      data: { t1: { value: 3, unit: 'us' }, t2: { value: null } },
    });
    expect(await asked({ _id: 0, none: 1, nowhere: 1, 'data.t3.value': 1, 'data.nowhere.value': 1 })).toEqual(
      {
        none: null,
        data: {},
      },
    );
    expect(await asked({ _id: 0, 'list.a': 1 })).toMatchObject({ list: [{ a: 1 }, {}, [{ a: 5 }]] });
    expect(await asked({ _id: 0, data: 1 })).toEqual({ data: stored.data });
    expect(await asked({ _id: 1 })).toEqual({ _id: 'a' });
    const { data, ...rest } = stored;
    expect(await asked({ data: 0 })).toEqual(rest);
    expect(await asked({ data: false, nowhere: 0 })).toEqual(rest);
    expect(await asked({ _id: 0, data: 0, list: 0 })).toEqual({ n: 1, none: null });
    const { t1: _t1, ...others } = data;
    expect(await asked({ 'data.t1': 0, list: 0 })).toEqual({ _id: 'a', n: 1, none: null, data: others });
    expect(await asked({ _id: 0, list: { $slice: 1 }, n: 1 })).toMatchObject({
      list: [{ a: 1, b: 2 }],
      n: 1,
    });
    await expect(asked({ data: 1, 'data.t1': 1 })).rejects.toThrow(MongoServerError);
    await expect(asked({ data: 1, n: 0 })).rejects.toThrow(MongoServerError);
  }));

test('a reader never sees half of an update', () =>
  withCollection(async (collection) => {
    await collection.insertOne({ _id: 'pair', n: 0, filler: 'x'.repeat(20_000), copy: 0 });
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 1; i <= 100; i++) {
        const n = writer * 1_000 + i;
        await collection.updateOne({ _id: 'pair' }, { $set: { n, copy: n } });
      }
    });
    const torn: unknown[] = [];
    const readers = Array.from({ length: 4 }, async () => {
      while (writing) {
        const found = await collection.findOne({ _id: 'pair' });
        if (found === null || found.n !== found.copy) {
          torn.push(found);
        }
      }
    });
    await Promise.all(writers);
    writing = false;
    await Promise.all(readers);
    expect(torn).toEqual([]);
  }));

test('a compare-and-set on _id and status among 20,000 documents does not scan', () =>
  withCollection(async (collection) => {
    const documents = 20_000;
    for (let from = 0; from < documents; from += 2_000) {
      const batch = Array.from(
        { length: 2_000 },
        (_, i): Counted => ({ _id: `task-${from + i}`, status: 'open' }),
      );
      await collection.insertMany(batch);
    }
    const set = (i: number) =>
      collection.updateOne({ _id: `task-${(i * 7) % documents}`, status: 'open' }, { $set: { n: i } });
    const scan = () => collection.findOne({ filler: 'nowhere' });
    await median(50, set);
    const ofSet = await median(200, set);
    const ofScan = await median(20, scan);
    console.log(`compare-and-set ${ofSet.toFixed(2)} ms, scan ${ofScan.toFixed(1)} ms`);
    expect(ofSet).toBeLessThan(ofScan / 2);
  }));

async function median(times: number, act: (i: number) => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const since = performance.now();
    await act(i);
    took.push(performance.now() - since);
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}

/** Two upserts of one new key may both try to insert; the store tells the second one, which then updates. */
function onceMoreIfDuplicate<T>(again: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) {
      return again();
    }
    throw error;
  };
}
