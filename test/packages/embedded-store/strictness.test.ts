import type { Collection, Document } from 'mongodb';
import { expect, test } from 'vitest';
import { testWithOwnStore } from '../../support/own-store-tests.ts';
import { withDatabase, withOwnStore } from './stores.ts';

interface Anything extends Document {
  _id: string;
}

function withAnything(use: (collection: Collection<Anything>) => Promise<void>): Promise<void> {
  return withDatabase((database) => use(database.collection<Anything>('documents')));
}

const stored = {
  _id: 'a',
  none: null,
  n: 1,
  text: 'x',
  nested: { none: null, list: [null, { x: 1 }] },
  list: [1],
};

test.each<[string, Document, number]>([
  ['$set of a field below null', { $set: { 'none.x': 1 } }, 28],
  ['$set of a field deep below null', { $set: { 'nested.none.x.y': 1 } }, 28],
  ['$set of a field below a null element', { $set: { 'nested.list.0.x': 1 } }, 28],
  ['$inc of a field below null', { $inc: { 'none.x': 1 } }, 28],
  ['$push to a field below null', { $push: { 'none.x': 1 } }, 28],
  ['$push to null', { $push: { none: 1 } }, 2],
  ['$addToSet to null', { $addToSet: { 'nested.none': 1 } }, 2],
  ['$inc of null', { $inc: { none: 1 } }, 14],
  ['$inc of a text', { $inc: { text: 1 } }, 14],
  ['$inc by a text', { $inc: { n: 'x' } }, 14],
  ['$mul of a text', { $mul: { text: 2 } }, 14],
  ['$push to a text', { $push: { text: 1 } }, 2],
  ['$push of what is no array of elements', { $push: { list: { $each: 1 } } }, 2],
  ['$addToSet to a text', { $addToSet: { text: 1 } }, 2],
  ['$addToSet of what is no array of elements', { $addToSet: { list: { $each: 1 } } }, 14],
  ['$pull from null', { $pull: { none: 1 } }, 2],
  ['$pull from a text', { $pull: { text: 'x' } }, 2],
  ['$pullAll from null', { $pullAll: { 'nested.none': [1] } }, 2],
  ['$pullAll of what is no array', { $pullAll: { list: 1 } }, 2],
  ['$pop of null', { $pop: { none: 1 } }, 14],
  ['$pop of a text', { $pop: { text: 1 } }, 14],
  ['$pop of two elements', { $pop: { list: 2 } }, 9],
  ['$rename to itself', { $rename: { n: 'n' } }, 2],
  ['$rename into itself', { $rename: { nested: 'nested.x' } }, 2],
  ['$rename to no text', { $rename: { n: 5 } }, 2],
  ['$rename to an empty path', { $rename: { n: '' } }, 56],
  ['$rename to a path with an empty part', { $rename: { n: 'a..b' } }, 56],
  ['$rename of an element', { $rename: { 'list.0': 'm' } }, 2],
  ['$rename to an element', { $rename: { n: 'list.0' } }, 2],
  ['$rename below a text', { $rename: { n: 'text.x' } }, 28],
  ['$rename to a field that is changed too', { $rename: { n: 'm' }, $set: { m: 1 } }, 40],
  ['a field that two operators change', { $set: { n: 2 }, $inc: { n: 1 } }, 40],
  ['a field and a field within it', { $set: { nested: 1, 'nested.x': 1 } }, 40],
  ['$set below a text', { $set: { 'text.x': 1 } }, 28],
  ['$set of a field of an array', { $set: { 'list.x': 1 } }, 28],
  ['$set of an element far beyond the last', { $set: { 'list.99999999': 1 } }, 34],
  ['$set of an element of null', { $set: { 'none.$[]': 1 } }, 2],
  ['$set with a filter that is not given', { $set: { 'list.$[one]': 1 } }, 2],
  ['$set by a position that the query did not find', { $set: { 'list.$': 1 } }, 2],
  ['$set of nothing', { $set: 5 }, 9],
  ['an operator that there is not', { $assign: { n: 1 } }, 9],
  ['a change of the key', { $set: { _id: 'b' } }, 66],
  ['a removal of the key', { $unset: { _id: '' } }, 66],
  ['a path with an empty part', { $set: { 'b..c': 1 } }, 56],
  ['a path that begins with a dot', { $set: { '.b': 1 } }, 56],
  ['a path that ends with a dot', { $inc: { 'b.': 1 } }, 56],
])('%s is refused as by mongod, and changes nothing', (_, update, code) =>
  withAnything(async (collection) => {
    await collection.insertOne({ ...stored });
    await expect(collection.updateOne({ _id: 'a' }, update)).rejects.toMatchObject({ code });
    await expect(collection.findOneAndUpdate({ _id: 'a' }, update)).rejects.toMatchObject({ code });
    await expect(collection.updateMany({ n: 1 }, update)).rejects.toMatchObject({ code });
    expect(await collection.find().toArray()).toEqual([stored]);
  }),
);

test('an upsert below a null of its own filter is refused', () =>
  withAnything(async (collection) => {
    const upsert = collection.updateOne(
      { _id: 'b', none: null },
      { $set: { 'none.x': 1 } },
      { upsert: true },
    );
    await expect(upsert).rejects.toMatchObject({ code: 28 });
    expect(await collection.countDocuments()).toBe(0);
  }));

test('updates that mongod makes are made', () =>
  withAnything(async (collection) => {
    await collection.insertOne({ ...stored });
    const updates: Document[] = [
      { $unset: { 'none.x': '' } },
      { $set: { none: { x: 1 } }, $push: { fresh: 1 }, $inc: { m: 1 } },
      { $set: { 'nested.list.1.y': 2, 'new.x.y': 3 }, $pull: { absent: 1 } },
      { $unset: { 'text.x': '', 'list.x': '', missing: '' }, $pop: { absent: 1 }, $pullAll: { gone: [1] } },
      { $rename: { absent: 'present' }, $setOnInsert: { 'text.x': 1 } },
      { $rename: { m: 'renamed' }, $set: { 'list.3': 4 }, $min: { text: 1 }, $max: { n: 5 } },
    ];
    for (const update of updates) await collection.updateOne({ _id: 'a' }, update);
    expect(await collection.findOne()).toMatchObject({
      none: { x: 1 },
      fresh: [1],
      renamed: 1,
      text: 1,
      n: 5,
      list: [1, null, null, 4],
      nested: { list: [null, { x: 1, y: 2 }] },
      new: { x: { y: 3 } },
    });
  }));

test('only the document that is updated is checked', () =>
  withAnything(async (collection) => {
    await collection.insertMany([
      { _id: 'a', n: 1, list: [1] },
      { _id: 'b', n: 1, list: null },
    ]);
    const pull: Document = { $pull: { list: 1 } };
    const first = await collection.findOneAndUpdate({ n: 1 }, pull, { sort: { _id: 1 } });
    expect(first).toMatchObject({ _id: 'a' });
    await expect(collection.updateMany({ n: 1 }, pull)).rejects.toMatchObject({ code: 2 });
  }));

test.each<[string, unknown, number]>([
  ['a pattern', /x/, 2],
  ['an array', ['a'], 53],
  ['a document with a field that begins with $', { $x: 1 }, 52],
])('a document is not stored under %s', (_, key, code) =>
  withDatabase(async (database) => {
    const collection = database.collection<{ _id: unknown }>('documents');
    await expect(collection.insertOne({ _id: key })).rejects.toMatchObject({ code });
    expect(await collection.countDocuments()).toBe(0);
  }),
);

const names = async (collection: Collection<Anything>) =>
  (await collection.listIndexes().toArray()).map(({ name }) => name).sort();

test.each<[string, Document, number]>([
  ['another key under the same name', { key: { m: 1 }, name: 'plain' }, 86],
  ['another direction under the same name', { key: { n: -1 }, name: 'plain' }, 86],
  ['another uniqueness under the same name', { key: { n: 1 }, name: 'plain', unique: true }, 86],
  [
    'another filter under the same name',
    { key: { p: 1 }, name: 'partial', partialFilterExpression: { p: 2 } },
    86,
  ],
  ['another lifetime under the same name', { key: { t: 1 }, name: 'ttl', expireAfterSeconds: 20 }, 85],
  ['the same index under another name', { key: { n: 1 }, name: 'other' }, 85],
])('an index with %s is refused as by mongod', (_, index, code) =>
  withAnything(async (collection) => {
    await collection.createIndexes([
      { key: { n: 1 }, name: 'plain' },
      { key: { t: 1 }, name: 'ttl', expireAfterSeconds: 10 },
      { key: { p: 1 }, name: 'partial', partialFilterExpression: { p: 1 } },
    ]);
    const { key, ...options } = index;
    await expect(collection.createIndex(key, options)).rejects.toMatchObject({ code });
    expect(await names(collection)).toEqual(['_id_', 'partial', 'plain', 'ttl']);
  }),
);

test('the same index again is no error, and one that differs in its filter may exist beside it', () =>
  withAnything(async (collection) => {
    for (let round = 0; round < 2; round += 1) {
      await collection.createIndex({ n: 1 }, { name: 'plain' });
      await collection.createIndex({ n: 1 }, { name: 'partial', partialFilterExpression: { n: 1 } });
    }
    expect(await names(collection)).toEqual(['_id_', 'partial', 'plain']);
  }));

testWithOwnStore('an index is dropped from its own collection only, and stays dropped over a restart', () =>
  withOwnStore(async (store) => {
    let { database, close } = store.connect(await store.start());
    for (const name of ['one', 'other'])
      await database.collection(name).createIndex({ n: 1 }, { name: 'by_n' });
    await database.collection('one').dropIndex('by_n');
    await expect(database.collection('one').dropIndex('by_n')).rejects.toMatchObject({ code: 27 });
    await close();
    await store.stop();
    ({ database, close } = store.connect(await store.start()));
    expect(await names(database.collection<Anything>('one'))).toEqual(['_id_']);
    expect(await names(database.collection<Anything>('other'))).toEqual(['_id_', 'by_n']);
    await close();
  }),
);

test('the lifetime of an index can be changed', () =>
  withDatabase(async (database) => {
    await database.collection('documents').createIndex({ t: 1 }, { name: 'ttl', expireAfterSeconds: 10 });
    const change = (name: string) =>
      database.command({ collMod: 'documents', index: { name, expireAfterSeconds: 20 } });
    await change('ttl');
    const indexes = await database.collection('documents').listIndexes().toArray();
    expect(indexes).toContainEqual(expect.objectContaining({ name: 'ttl', expireAfterSeconds: 20 }));
    await expect(change('none')).rejects.toMatchObject({ code: 27 });
  }));

test.each([/\u2028/, /\u2028/, { $regex: String.raw`a\Lb` }])(
  'the pattern %s is refused as by PCRE2',
  (pattern) =>
    withAnything(async (collection) => {
      await expect(collection.findOne({ text: pattern })).rejects.toMatchObject({ code: 51091 });
      expect(await collection.findOne({ text: { $regex: String.raw`\\u` } })).toBeNull();
    }),
);
