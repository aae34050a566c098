import { connect } from 'node:net';
import type { Collection } from 'mongodb';
import { expect, test } from 'vitest';
import { isStoreUnavailable, isUnstorable } from '../../../shared/kernel/database.ts';
import { testWithOwnStore } from '../../support/own-store-tests.ts';
import { type Counted, withCollection, withOwnStore } from './stores.ts';

/** MongoDB's code for a document that is nested too deeply. */
const OVERFLOW = 15;
const TOO_LARGE = 10334;

/** `levels` documents one within the other. */
function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = { end: true };
  for (let level = 1; level < levels; level++) value = { in: value };
  return value;
}

/** `levels` arrays one within the other. */
function nestedArrays(levels: number): unknown[] {
  let value: unknown[] = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

const anything = (collection: Collection<Counted>) =>
  collection.db.collection<{ _id: string; x?: unknown }>(collection.collectionName);

async function expectWorking(collection: Collection<Counted>, _id: string): Promise<void> {
  await collection.insertOne({ _id, n: 1 });
  expect(await collection.findOne({ _id })).toEqual({ _id, n: 1 });
}

test('a document that is nested too deeply is refused by every way in, and the store goes on', () =>
  withCollection(async (collection) => {
    const documents = anything(collection);
    await documents.insertOne({ _id: 'kept', x: nested(99) });
    const refused = { code: OVERFLOW };
    await expect(documents.insertOne({ _id: 'a', x: nested(250) })).rejects.toMatchObject(refused);
    await expect(documents.insertOne({ _id: 'b', x: nestedArrays(3500) })).rejects.toMatchObject(refused);
    await expect(
      documents.updateOne({ _id: 'kept' }, { $set: { x: nestedArrays(3500) } }),
    ).rejects.toMatchObject(refused);
    await expect(
      documents.updateOne({ _id: 'c' }, { $set: { x: nestedArrays(3500) } }, { upsert: true }),
    ).rejects.toMatchObject(refused);
    await expect(
      documents.findOneAndUpdate({ _id: 'kept' }, { $set: { x: nestedArrays(3500) } }),
    ).rejects.toMatchObject(refused);
    expect(await documents.find().toArray()).toEqual([{ _id: 'kept', x: nested(99) }]);
    await expectWorking(collection, 'after');
  }));

test('updates cannot make a document too deep in several steps', () =>
  withCollection(async (collection) => {
    const documents = anything(collection);
    await documents.insertOne({ _id: 'a', x: nested(90) });
    const path = ['x', ...Array.from({ length: 88 }, () => 'in'), 'further'].join('.');
    await documents.updateOne({ _id: 'a' }, { $set: { [path]: 1 } });
    const deeper = documents.updateOne({ _id: 'a' }, { $set: { [path]: nested(250 - 91) } });
    await expect(deeper).rejects.toMatchObject({ code: OVERFLOW });
    await expectWorking(collection, 'after');
  }));

test('a document that grows beyond 16 MB is refused, and what it was before can still be read', () =>
  withCollection(async (collection) => {
    const documents = anything(collection);
    const text = 'é'.repeat(3_000_000);
    await documents.insertOne({ _id: 'a', x: [text, text] });
    await expect(documents.updateOne({ _id: 'a' }, { $push: { x: text } as never })).rejects.toMatchObject({
      code: expect.toBeOneOf([TOO_LARGE, 17419]),
    });
    expect(await documents.findOne({ _id: 'a' })).toEqual({ _id: 'a', x: [text, text] });
  }));

test('a document beyond 16 MB is refused by every way in, over a connection that stays', () =>
  withCollection(async (collection) => {
    const documents = anything(collection);
    let lost = 0;
    collection.db.client.on('connectionPoolCleared', () => {
      lost += 1;
    });
    for (const mebibytes of [16.001, 16.9, 17, 40]) {
      const x = 'x'.repeat(mebibytes * 1024 * 1024);
      const ways = [
        () => documents.insertOne({ _id: 'a', x }),
        () => documents.insertMany([{ _id: 'a', x }], { ordered: false }),
        () => documents.updateOne({ _id: 'a' }, { $set: { x } }, { upsert: true }),
        () => documents.findOneAndUpdate({ _id: 'a' }, { $set: { x } }, { upsert: true }),
      ];
      for (const way of ways) {
        const thrown: unknown = await way().catch((error: unknown) => error);
        expect([isUnstorable(thrown), isStoreUnavailable(thrown)]).toEqual([true, false]);
      }
    }
    expect([lost, await documents.countDocuments()]).toEqual([0, 0]);
    await expectWorking(collection, 'after');
  }));

testWithOwnStore(
  'what was tried on a store on disk leaves nothing that a later start cannot read',
  async () => {
    await withOwnStore(async (store) => {
      let { database, close } = store.connect(await store.start());
      await database.collection<Counted>('documents').insertOne({ _id: 'kept', n: 1 });
      const poison = database.collection('documents').insertOne({ x: nestedArrays(3500) });
      await expect(poison).rejects.toMatchObject({ code: OVERFLOW });
      await expectWorking(database.collection<Counted>('documents'), 'after');
      await close();
      store.kill();
      ({ database, close } = store.connect(await store.start()));
      const kept = await database.collection<Counted>('documents').find().sort({ _id: 1 }).toArray();
      expect(kept.map(({ _id }) => _id)).toEqual(['after', 'kept']);
      await close();
    });
  },
);

testWithOwnStore(
  'a message too deep to be read at all costs its sender the connection, and nobody else anything',
  async () => {
    await withOwnStore(async (store) => {
      const engine = await store.start();
      const { database, close } = store.connect(engine);
      const collection = database.collection<Counted>('documents');
      await collection.insertOne({ _id: 'before', n: 1 });
      await sendUntilClosed(engine.port, messageOf(deepBson(200_000)));
      await expectWorking(collection, 'after');
      await close();
    });
  },
);

/** A BSON document of so many documents one within the other, each `{a: …}`; no encoder goes that deep. */
function deepBson(levels: number): Buffer {
  const [head, foot] = [Buffer.from([0, 0, 0, 0, 0x03, 0x61, 0x00]), Buffer.from([0])];
  const bytes = Buffer.alloc(levels * (head.length + foot.length) + 5);
  let size = 5;
  bytes.writeInt32LE(size, levels * head.length);
  for (let level = levels - 1; level >= 0; level--) {
    size += head.length + foot.length;
    head.copy(bytes, level * head.length);
    bytes.writeInt32LE(size, level * head.length);
  }
  return bytes;
}

/** The document as a message of MongoDB's wire protocol: header, flags, one section. */
function messageOf(document: Buffer): Buffer {
  const OP_MSG = 2013;
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, document]);
}

function sendUntilClosed(port: number, message: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(message));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}
