import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, BSON, type Collection, Decimal128, Double, Long, ObjectId, UUID } from 'mongodb';
import { expect } from 'vitest';
import { storeCounts } from '../../../scripts/bench/engine-counts.ts';
import { testWithOwnStore } from '../../support/own-store-tests.ts';
import { type Counted, type OwnStore, withOwnStore } from './stores.ts';

const ROUNDS = 3;
const WRITING_MS = 300;
const INDEXES = Array.from({ length: 10 }, (_, i) => `key${i}`);
const WRITERS = 8;
const KEYS_AT_ONCE = 100;

testWithOwnStore('every acknowledged write survives a kill -9 of the store, round after round', async () => {
  await withOwnStore(async (store) => {
    /** The last count that was acknowledged for each document. */
    const acknowledged = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      await withKept(store, async (collection) => {
        await expectAllKept(collection, acknowledged);
        await collection.createIndex({ project: 1, n: 1 }, { unique: true });
        const writers = Array.from({ length: WRITERS }, (_, writer) => async (n: number) => {
          const project = `${round}-${writer}`;
          const _id = `${project}-${n}`;
          await collection.insertOne({ _id, project, n, winner: 0 });
          acknowledged.set(_id, 0);
          const { modifiedCount } = await collection.updateOne(
            { _id, winner: 0 },
            { $set: { winner: n + 1 } },
          );
          acknowledged.set(_id, modifiedCount === 1 ? n + 1 : Number.NaN);
        });
        await writeUntilKilled(store, writers);
      });
    }
    await withKept(store, (collection) => expectAllKept(collection, acknowledged));
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * WRITERS);
  });
});

testWithOwnStore('a document that a kill -9 cut short is in all indexes or not at all', async () => {
  await withOwnStore(async (store) => {
    for (let round = 0; round < ROUNDS; round++) {
      await withKept(store, async (collection, others) => {
        if (round > 0) await expectInAllIndexes(collection);
        await collection.deleteMany({});
        await collection.createIndexes(INDEXES.map((name) => ({ key: { [name]: 1 }, name, unique: true })));
        // long writes, and short ones elsewhere whose commits fall into the middle of them
        const long = (n: number) =>
          collection.insertMany(Array.from({ length: 200 }, (_, i) => inAllIndexes(`${round}-${n}-${i}`)));
        const short = Array.from(
          { length: WRITERS },
          (_, writer) => (n: number) =>
            others.updateOne({ _id: `${writer}` }, { $set: { n } }, { upsert: true }),
        );
        await writeUntilKilled(store, [long, ...short]);
      });
    }
    await withKept(store, expectInAllIndexes);
  });
});

testWithOwnStore('values of every kind are the same after a restart, in documents and as keys', async () => {
  const values = {
    text: 'Größe \u{1d11e} \0 end',
    long: 'x'.repeat(100_000),
    double: new Double(0.1),
    whole: new Double(3),
    integer: -7,
    large: Long.fromString('9007199254740993'),
    yes: true,
    nothing: null,
    moment: new Date('1969-07-20T20:17:40.123Z'),
    id: new ObjectId('65a1b2c3d4e5f60718293a4b'),
    uuid: new UUID('0190a1b2-c3d4-7e5f-8071-8293a4b5c6d7'),
    bytes: new Binary(Buffer.from([0, 127, 128, 255])),
    decimal: Decimal128.fromString('1.50'),
  };
  const list = Array.from({ length: 12 }, (_, n) => [n, [], { größe: n / 4 }]);
  const all = { ...values, list, empty: {} };
  const stored = [
    ...Object.entries(values).map(([_id, value]) => ({ _id, value })),
    { _id: 'all', value: 'all', all },
  ];
  await withOwnStore(async (store) => {
    const first = store.connect(await store.start());
    const written = first.database.collection<{ _id: string; value: unknown }>('documents');
    await written.createIndex({ value: 1 }, { unique: true });
    await written.insertMany(stored);
    await first.close();
    await store.stop();
    const { database, close } = store.connect(await store.start());
    const kept = database.collection<{ _id: string; value: unknown }>('documents');
    for (const document of stored) {
      const [read] = await kept.find({ _id: document._id }, { raw: true }).toArray();
      expect(read).toEqual(BSON.serialize(document));
      const again = { _id: `${document._id} again`, value: document.value };
      await expect(kept.insertOne(again)).rejects.toMatchObject({ code: 11000 });
    }
    await close();
  });
});

testWithOwnStore('unique indexes go on refusing after a restart', async () => {
  await withOwnStore(async (store) => {
    await withKept(store, async (collection) => {
      await collection.createIndex({ project: 1, n: 1 }, { unique: true });
      await collection.insertOne({ _id: 'a', project: 'p', n: 1 });
    });
    await store.stop();
    await withKept(store, async (collection) => {
      expect((await collection.indexes()).map(({ key }) => key)).toContainEqual({ project: 1, n: 1 });
      await expect(collection.insertOne({ _id: 'b', project: 'p', n: 1 })).rejects.toMatchObject({
        code: 11000,
      });
      await expect(collection.insertOne({ _id: 'a', project: 'p', n: 2 })).rejects.toMatchObject({
        code: 11000,
      });
    });
  });
});

async function withKept(
  store: OwnStore,
  use: (documents: Collection<Counted>, others: Collection<Counted>) => Promise<void>,
): Promise<void> {
  const { database, close } = store.connect(await store.start());
  try {
    await use(database.collection('documents'), database.collection('others'));
  } finally {
    await close();
  }
}

/** Each writer writes once, then again and again until the store dies under it. */
async function writeUntilKilled(
  store: OwnStore,
  writers: ((n: number) => Promise<unknown>)[],
): Promise<void> {
  await Promise.all(writers.map((write) => write(0)));
  const writing = writers.map(async (write) => {
    for (let n = 1; ; n++) {
      try {
        await write(n);
      } catch {
        return;
      }
    }
  });
  await sleep(WRITING_MS);
  store.kill();
  await Promise.all(writing);
}

function inAllIndexes(_id: string): Counted {
  return { _id, filler: 'x', ...Object.fromEntries(INDEXES.map((name) => [name, _id])) };
}

/** What a look at all documents finds, each index finds too. */
async function expectInAllIndexes(collection: Collection<Counted>): Promise<void> {
  // a count would scan, and so find a document that is in no index
  const scanned = (await collection.find({ filler: 'x' }).toArray()).map(({ _id }) => _id);
  expect(scanned.length).toBeGreaterThanOrEqual(200);
  for (const name of ['_id', ...INDEXES]) {
    let indexed = 0;
    // What the store takes for many keys at once grows with their square.
    for (let start = 0; start < scanned.length; start += KEYS_AT_ONCE) {
      const keys = scanned.slice(start, start + KEYS_AT_ONCE);
      indexed += (await collection.find({ [name]: { $in: keys } }).toArray()).length;
    }
    expect(indexed, name).toBe(scanned.length);
  }
}

/** A write that was not acknowledged may be there or not, so a count may be ahead of what was acknowledged. */
async function expectAllKept(
  collection: Collection<Counted>,
  acknowledged: ReadonlyMap<string, number>,
): Promise<void> {
  const kept = new Map((await collection.find().toArray()).map(({ _id, winner }) => [_id, winner ?? -1]));
  const lost = [...acknowledged].filter(([_id, count]) => !((kept.get(_id) ?? -1) >= count));
  expect(lost).toEqual([]);
}

testWithOwnStore('a store on disk tells how often it has committed, which it does for each write', () =>
  withOwnStore(async ({ source, start, stop, connect }) => {
    const { database, close } = connect(await start());
    const commits = async () => (await storeCounts(database))['commits'] ?? expect.fail('it does not say');
    await database.collection('documents').insertOne({ n: 0 });
    const before = await commits();
    for (let n = 1; n <= 5; n += 1) await database.collection('documents').insertOne({ n });
    const after = await commits();
    expect(after - before).toBeGreaterThanOrEqual(5);
    await database.collection('documents').countDocuments();
    // A real one writes its journal every so often, too.
    const isEmbedded = source.kind === 'program' && source.flavour === 'mongo-java-server';
    if (isEmbedded) expect([after - before, await commits()]).toEqual([5, after]);
    await close();
    await stop();
  }),
);
