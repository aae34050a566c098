import type { CommandStartedEvent } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { coalescedMatches, coalescedUpdates } from '../../../shared/kernel/coalesced-updates.ts';
import { connectDatabase, type Database } from '../../../shared/kernel/database.ts';

interface Counted {
  _id: string;
  seen: number;
  text?: string;
}

let database: Database;
const sent: CommandStartedEvent[] = [];
beforeAll(async () => {
  database = await connectDatabase(inject('mongodb'), 'coalesced_updates', { monitorCommands: true });
  database.client.on('commandStarted', (event) => sent.push(event));
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

/** A collection of its own, and what commands it was sent. */
function opened(name: string) {
  const collection = database.db.collection<Counted>(name);
  const commands = () => sent.filter(({ command }) => command['update'] === name).length;
  return { collection, commands, write: coalescedUpdates(collection) };
}

const inserted = (_id: string, text?: string) => ({
  filter: { _id },
  update: { $setOnInsert: { seen: 1, ...(text !== undefined && { text }) } },
  upsert: true,
});

test('updates of one turn are one command, and each caller learns what became of its own', async () => {
  const { collection, commands, write } = opened('together');
  await write([inserted('old')]);
  const counts = await Promise.all([
    write([inserted('a'), inserted('old')]),
    write([]),
    write([inserted('old')]),
    write([inserted('b'), inserted('c')]),
    write([{ filter: { _id: 'old' }, update: { $set: { seen: 2 } } }]),
  ]);
  expect(counts).toEqual([1, 0, 0, 2, 0]);
  expect(commands()).toBe(2);
  expect(
    (await collection.find().sort({ _id: 1 }).toArray()).map(({ _id, seen }) => `${_id} ${seen}`),
  ).toEqual(['a 1', 'b 1', 'c 1', 'old 2']);
});

test('what the store cannot take fails for its caller, and for no other', async () => {
  const { collection, write } = opened('apart');
  const tooLarge = 'x'.repeat(17 * 1024 * 1024);
  const [good, bad, alsoGood] = await Promise.allSettled([
    write([inserted('good')]),
    write([inserted('bad', tooLarge)]),
    write([{ filter: { _id: 'none' }, update: { $set: { seen: 3 } } }]),
  ]);
  expect(good).toMatchObject({ status: 'fulfilled' });
  expect(bad).toMatchObject({ status: 'rejected' });
  expect(alsoGood).toEqual({ status: 'fulfilled', value: 0 });
  expect((await collection.find().toArray()).map(({ _id }) => _id)).toEqual(['good']);
});

test('an update reports that its document exists, unless another one of the command found none', async () => {
  const { collection, commands } = opened('matches');
  await collection.insertMany([
    { _id: 'a', seen: 1 },
    { _id: 'b', seen: 1 },
  ]);
  const rewrite = coalescedMatches(collection);
  const seen = (_id: string, value: number) =>
    rewrite({ filter: { _id }, update: { $set: { seen: value } } });
  expect(await Promise.all([seen('a', 2), seen('b', 2)])).toEqual([true, true]);
  expect(commands()).toBe(1);
  expect(await Promise.all([seen('a', 3), seen('none', 3)])).toEqual([null, null]);
  expect(await seen('none', 4)).toBe(false);
  expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 'a', seen: 3 },
    { _id: 'b', seen: 2 },
  ]);
});

test('an update that the store cannot take fails for who asked for it, and leaves others to look again', async () => {
  const { collection } = opened('unfit');
  await collection.insertOne({ _id: 'a', seen: 1 });
  const rewrite = coalescedMatches(collection);
  const tooLarge = { filter: { _id: 'a' }, update: { $set: { text: 'x'.repeat(17 * 1024 * 1024) } } };
  await expect(rewrite(tooLarge)).rejects.toThrow();
  const good = { filter: { _id: 'a' }, update: { $set: { seen: 2 } } };
  expect(await Promise.all([rewrite(good), rewrite(tooLarge)])).toEqual([null, null]);
});
