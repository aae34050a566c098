import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { coalescedInserts } from '../../../shared/kernel/coalesced-inserts.ts';
import { connectDatabase, type Database } from '../../../shared/kernel/database.ts';

interface Counted {
  _id: string;
  seen: number;
  text?: string;
}

let database: Database;
const sent: string[] = [];
beforeAll(async () => {
  database = await connectDatabase(inject('mongodb'), 'coalesced_inserts', { monitorCommands: true });
  database.client.on('commandStarted', ({ command }) => sent.push(String(command['insert'])));
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

/** A collection of its own, and what commands it was sent. */
function opened(name: string) {
  const collection = database.db.collection<Counted>(name);
  const commands = () => sent.filter((each) => each === name).length;
  const stored = async () =>
    (await collection.find().sort({ _id: 1 }).toArray()).map(({ _id, seen }) => `${_id} ${seen}`);
  return { collection, commands, stored, insert: coalescedInserts(collection) };
}

test('documents of one turn are one command, and each caller learns how many of its own were missing', async () => {
  const { commands, stored, insert } = opened('together');
  await insert([{ _id: 'old', seen: 1 }]);
  const counts = await Promise.all([
    insert([
      { _id: 'a', seen: 2 },
      { _id: 'old', seen: 2 },
    ]),
    insert([]),
    insert([{ _id: 'old', seen: 3 }]),
    insert([
      { _id: 'b', seen: 2 },
      { _id: 'c', seen: 2 },
    ]),
  ]);
  expect(counts).toEqual([1, 0, 0, 2]);
  expect(commands()).toBe(2);
  expect(await stored()).toEqual(['a 2', 'b 2', 'c 2', 'old 1']);
});

test('of callers that insert the same document at the same time one does', async () => {
  const { stored, insert } = opened('raced');
  const counts = await Promise.all([1, 2, 3].map((seen) => insert([{ _id: 'one', seen }])));
  expect(counts.toSorted()).toEqual([0, 0, 1]);
  expect(await stored()).toHaveLength(1);
});

test('a key that another unique index knows is taken, too', async () => {
  const { collection, stored, insert } = opened('numbered');
  await collection.createIndex({ seen: 1 }, { unique: true });
  await insert([{ _id: 'first', seen: 1 }]);
  expect(
    await insert([
      { _id: 'second', seen: 1 },
      { _id: 'third', seen: 2 },
    ]),
  ).toBe(1);
  expect(await stored()).toEqual(['first 1', 'third 2']);
});

test('what the store cannot take fails for its caller, and for no other', async () => {
  const { stored, insert } = opened('apart');
  const bad = { _id: 'bad', seen: 1, text: 'x'.repeat(17 * 1024 * 1024) };
  const [good, refused, other] = await Promise.allSettled([
    insert([{ _id: 'good', seen: 1 }]),
    insert([bad]),
    insert([{ _id: 'other', seen: 1 }]),
  ]);
  expect([good.status, refused.status, other.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await stored()).toEqual(['good 1', 'other 1']);
  await expect(insert([bad])).rejects.toThrow();
});
