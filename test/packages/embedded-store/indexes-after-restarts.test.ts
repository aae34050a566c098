import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Collection, Db } from 'mongodb';
import { expect } from 'vitest';
import { z } from 'zod';
import { testWithOwnStore } from '../../support/own-store-tests.ts';
import { indexes, SAMPLES, type Sample } from './samples.ts';
import { withOwnStore } from './stores.ts';

/** Of the newest ten samples, the names. */
async function newest(database: Db): Promise<string[]> {
  const found = await database
    .collection<Sample>('indexed')
    .find({ project: 'p' })
    .sort({ n: -1, name: 1 })
    .limit(10)
    .toArray();
  return found.map(({ name }) => name);
}

const namesUpTo = (next: number) => Array.from({ length: 10 }, (_, back) => `s${next - 1 - back}`);

testWithOwnStore(
  'what indexes find is the same after a restart and after a kill, and what was written meanwhile is there',
  () =>
    withOwnStore(async (store) => {
      const samples = Array.from(
        { length: SAMPLES },
        (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, n }),
      );
      let next = SAMPLES;
      for (const end of [store.stop, store.kill, store.kill, store.stop]) {
        const { database, close } = store.connect(await store.start());
        const indexed = database.collection<Sample>('indexed');
        if (next === SAMPLES) {
          await indexed.createIndexes([...indexes]);
          await indexed.insertMany(samples);
        }
        expect(await newest(database)).toEqual(namesUpTo(next));
        await indexed.insertOne({ _id: String(next), project: 'p', name: `s${next}`, n: next });
        next += 1;
        expect(await newest(database)).toEqual(namesUpTo(next));
        await close();
        await end();
      }
    }),
);

/** How many entries each index of a collection has, without a question that would need one. */
async function entriesOf(database: Db): Promise<Record<string, number>> {
  const { indexSize } = await database.command({ collStats: 'indexed' });
  return Object.fromEntries(
    Object.entries(z.record(z.string(), z.number()).parse(indexSize)).filter(([name]) =>
      name.startsWith('by_'),
    ),
  );
}

testWithOwnStore(
  'indexes that were of use are there again after a kill before the first question, the others are not made',
  (context) =>
    withOwnStore(async (store) => {
      const { source } = store;
      if (source.kind !== 'program' || source.flavour !== 'mongo-java-server')
        return context.skip('only the embedded store makes its indexes when they are first of use');
      const samples = Array.from(
        { length: SAMPLES },
        (_, n): Sample => ({
          _id: String(n),
          project: 'p',
          name: `s${n}`,
          n,
          status: n % 2 ? 'open' : 'done',
        }),
      );
      const before = store.connect(await store.start());
      const indexed = before.database.collection<Sample>('indexed');
      await indexed.createIndexes([...indexes]);
      await indexed.insertMany(samples);
      const open = { project: 'p', status: 'open' };
      expect(await indexed.countDocuments(open)).toBe(SAMPLES / 2);
      expect(await newest(before.database)).toEqual(namesUpTo(SAMPLES));
      // Whatever a read leaves to be stored goes with the next write.
      await indexed.updateOne({ _id: '0' }, { $set: { status: 'open' } });
      await before.close();
      store.kill();
      const after = store.connect(await store.start());
      expect(await entriesOf(after.database)).toEqual({
        by_n: SAMPLES,
        by_status: SAMPLES,
        by_tag: 0,
        by_mixed: 0,
        by_note: 0,
      });
      expect(await after.database.collection<Sample>('indexed').countDocuments(open)).toBe(SAMPLES / 2 + 1);
      expect(await newest(after.database)).toEqual(namesUpTo(SAMPLES));
      await after.close();
    }),
);

/** What an index alone would answer wrongly, if it did not know of the arrays. */
const questionsOfArrays: Record<string, (samples: Collection<Sample>) => Promise<unknown>> = {
  distinct: async (samples) => (await samples.distinct('tags', { project: 'p' })).sort(),
  count: (samples) => samples.countDocuments({ project: 'p', tags: { $in: ['a', 'z'] } }),
  range: (samples) => samples.countDocuments({ project: 'p', tags: { $gt: 'k', $lt: 'm' } }),
  sort: (samples) => samples.find({ project: 'p' }).sort({ tags: 1, name: 1 }).limit(5).toArray(),
};

testWithOwnStore('the first question after a restart is answered right, though a field has arrays', () =>
  withOwnStore(async (store) => {
    const samples = Array.from(
      { length: SAMPLES },
      (_, n): Sample => ({
        _id: String(n),
        project: 'p',
        name: `s${n}`,
        tags: n % 2 === 0 ? ['a', 'z'] : ['l'],
      }),
    );
    const before = store.connect(await store.start());
    await before.database.collection<Sample>('plain').insertMany(samples);
    // a collection for each question, which so is the first that its index is asked
    for (const [name, ask] of Object.entries(questionsOfArrays)) {
      const indexed = before.database.collection<Sample>(name);
      await indexed.createIndex({ project: 1, tags: 1, name: 1 });
      await indexed.insertMany(samples);
      await ask(indexed);
    }
    await before.close();
    await store.stop();
    const after = store.connect(await store.start());
    for (const [name, ask] of Object.entries(questionsOfArrays))
      expect(await ask(after.database.collection<Sample>(name)), name).toEqual(
        await ask(after.database.collection<Sample>('plain')),
      );
    await after.close();
  }),
);

testWithOwnStore(
  'a document that cannot be read any more costs other collections neither their indexes nor the store',
  (context) =>
    withOwnStore(async (store) => {
      const { source, dataPath } = store;
      if (source.kind !== 'program' || source.flavour !== 'mongo-java-server')
        return context.skip('only the embedded store makes its indexes again');
      const before = store.connect(await store.start());
      for (const name of ['damaged', 'indexed']) {
        const indexed = before.database.collection<{ _id: string; n: number; damaged?: string }>(name);
        await indexed.createIndex({ n: 1 }, { name: 'by_n' });
        await indexed.insertMany(
          Array.from({ length: SAMPLES }, (_, n) => ({
            _id: String(n),
            n,
            ...(n === SAMPLES / 2 && { [name]: '' }),
          })),
        );
        expect(await indexed.countDocuments({ n: { $gt: 5, $lt: 8 } })).toBe(2);
      }
      await before.close();
      await store.stop();
      const file = join(dataPath, 'store.mv');
      const bytes = await readFile(file);
      const field = Buffer.from('\x02damaged\0');
      for (let at = bytes.indexOf(field); at >= 0; at = bytes.indexOf(field, at + 1)) bytes[at] = 0x7e;
      await writeFile(file, bytes);
      await rm(`${file}.indexes`);
      const after = store.connect(await store.start());
      await expect(after.database.collection('damaged').findOne({ n: SAMPLES / 2 })).rejects.toThrow();
      expect(await entriesOf(after.database)).toEqual({ by_n: SAMPLES });
      await after.close();
    }),
);

testWithOwnStore('a start on a port that is taken keeps the indexes for the next one', (context) =>
  withOwnStore(async (store) => {
    const { source, dataPath } = store;
    if (source.kind !== 'program' || source.flavour !== 'mongo-java-server')
      return context.skip('only the embedded store keeps its indexes in a file of their own');
    const before = store.connect(await store.start());
    const indexed = before.database.collection<{ _id: string; n: number }>('indexed');
    await indexed.createIndex({ n: 1 }, { name: 'by_n' });
    await indexed.insertMany(Array.from({ length: SAMPLES }, (_, n) => ({ _id: String(n), n })));
    expect(await indexed.countDocuments({ n: { $gt: 5, $lt: 8 } })).toBe(2);
    await before.close();
    await store.stop();
    const path = join(dataPath, 'store.mv.indexes');
    // While it is open, no file that is made anew gets its number.
    const kept = await open(path);
    const holder = createServer().listen(0, '127.0.0.1');
    try {
      await once(holder, 'listening');
      const taken = holder.address();
      const port = typeof taken === 'object' && taken ? String(taken.port) : '';
      const args = [...source.args, '--port', port, '--file', join(dataPath, 'store.mv')];
      await expect(promisify(execFile)(source.command, args)).rejects.toMatchObject({ code: 2 });
      const after = store.connect(await store.start());
      expect((await stat(path)).ino).toBe((await kept.stat()).ino);
      expect(await after.database.collection('indexed').countDocuments({ n: { $gt: 5, $lt: 8 } })).toBe(2);
      await after.close();
    } finally {
      holder.close();
      await kept.close();
    }
  }),
);

testWithOwnStore(
  'what an older release wrote, which leaves indexes alone, is found by them after the way back',
  (context) =>
    withOwnStore(async (store) => {
      const { source, dataPath } = store;
      if (source.kind !== 'program' || source.flavour !== 'mongo-java-server')
        return context.skip('only the embedded store keeps its indexes in a file of their own');
      const samples = Array.from(
        { length: SAMPLES },
        (_, n): Sample => ({ _id: String(n), project: 'p', name: `s${n}`, n }),
      );
      const before = store.connect(await store.start());
      const indexed = before.database.collection<Sample>('indexed');
      await indexed.createIndexes([...indexes]);
      await indexed.insertMany(samples);
      expect(await newest(before.database)).toEqual(namesUpTo(SAMPLES));
      await before.close();
      await store.stop();
      const older = join(import.meta.dirname, 'WriteAsOlderRelease.java');
      await promisify(execFile)(source.command, [
        ...source.args.slice(0, -1),
        older,
        join(dataPath, 'store.mv'),
        'kept.indexed',
        '7',
        String(SAMPLES),
      ]);
      const after = store.connect(await store.start());
      expect(await newest(after.database)).toEqual(['s7', ...namesUpTo(SAMPLES).slice(0, 9)]);
      await after.close();
    }),
);
