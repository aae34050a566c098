import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { noReport } from '../../../scripts/engines/types.ts';
import { findProgramOf, withStore } from '../../../scripts/store/replace-store.ts';
import { testWithOwnStore } from '../../support/own-store-tests.ts';
import { type Counted, withOwnStore } from './stores.ts';

const WRITERS = 6;
const SNAPSHOTS = 3;

testWithOwnStore('a snapshot holds all acknowledged writes of one moment, while writes go on', async () => {
  const source = await findProgramOf('mongo-java-server', noReport);
  await withOwnStore(async ({ dataPath }) => {
    const logFile = join(dataPath, '..', 'log');
    await withStore({ source, dataPath, logFile }, async (client) => {
      const db = client.db('kept');
      const [first, second] = [db.collection<Counted>('first'), db.collection<Counted>('second')];
      await first.createIndex({ n: 1 });
      /** Number of keys of each writer that are in both collections. */
      const acknowledged = Array.from({ length: WRITERS }, () => 0);
      let goesOn = true;
      const writing = acknowledged.map(async (_, writer) => {
        for (let n = 0; goesOn; n += 1) {
          const _id = `${writer}-${n}`;
          await first.insertOne({ _id, n, filler: 'x'.repeat(500) });
          await second.insertOne({ _id, n });
          // Space that becomes free must not be used while a copy is made.
          await first.updateOne({ _id }, { $set: { filler: 'y'.repeat(2000) } });
          if (n % 3 === 0) await second.deleteMany({ _id: `${writer}-${n - 30}` });
          acknowledged[writer] = n + 1;
        }
      });
      for (let round = 0; round < SNAPSHOTS; round += 1) {
        const before = acknowledged.reduce((sum, count) => sum + count, 0);
        await expect
          .poll(() => acknowledged.reduce((sum, count) => sum + count, 0))
          .toBeGreaterThan(before + 200);
        const sure = [...acknowledged];
        const copyPath = join(dataPath, '..', `copy-${round}`);
        await mkdir(copyPath);
        const to = join(copyPath, 'store.mv');
        await client.db('admin').command({ calibronSnapshot: 1, to });
        await withStore({ source, dataPath: copyPath, logFile }, async (copy) => {
          const of = copy.db('kept');
          const ids = new Set((await of.collection<Counted>('first').find().toArray()).map(({ _id }) => _id));
          for (const [writer, count] of sure.entries()) {
            for (let n = 0; n < count; n += 1) expect(ids).toContain(`${writer}-${n}`);
          }
          // The second write of a key was made after the first one.
          for (const { _id } of await of.collection<Counted>('second').find().toArray()) {
            expect(ids).toContain(_id);
          }
          expect(await of.collection<Counted>('first').countDocuments({ n: 1 })).toBe(WRITERS);
        });
      }
      goesOn = false;
      await Promise.all(writing);
    });
    // The store itself is unharmed.
    await withStore({ source, dataPath, logFile }, async (client) => {
      expect(await client.db('kept').collection('first').countDocuments()).toBeGreaterThan(200);
    });
  });
});

testWithOwnStore('a snapshot replaces no file', async () => {
  const source = await findProgramOf('mongo-java-server', noReport);
  await withOwnStore(async ({ dataPath }) => {
    await withStore({ source, dataPath, logFile: join(dataPath, '..', 'log') }, async (client) => {
      const to = join(dataPath, '..', 'precious');
      await writeFile(to, 'precious');
      const taking = client.db('admin').command({ calibronSnapshot: 1, to });
      await expect(taking).rejects.toThrow(/snapshot could not be written/);
      expect(await readFile(to, 'utf8')).toBe('precious');
    });
  });
});
