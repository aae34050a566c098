import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect } from 'vitest';
import { mongodbCandidates } from '../../../scripts/engines/candidates.ts';
import { freePort, isHealthy, startMongo, stopEngine } from '../../../scripts/engines/processes.ts';
import { findEngine } from '../../../scripts/engines/sources.ts';
import { type EngineProcess, noReport } from '../../../scripts/engines/types.ts';
import { readSettings } from '../../../shared/domain/settings.ts';
import { connectDatabase } from '../../../shared/kernel/database.ts';
import { keptSecret } from '../../../shared/kernel/files/kept-secret.ts';
import { testWithOwnStore } from '../../support/own-store-tests.ts';

let directory: string;
let passwordFile: string;
let password: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-sign-in-'));
  passwordFile = join(directory, 'store-password');
  password = await keptSecret(passwordFile);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function withStore(withPassword: boolean, use: (store: EngineProcess) => Promise<void>): Promise<void> {
  const store = await startMongo(await findEngine('mongodb', noReport, mongodbCandidates().slice(1)), {
    port: await freePort(),
    dataPath: join(directory, 'data'),
    logFile: join(directory, 'log'),
    ...(withPassword && { passwordFile }),
  });
  try {
    await use(store);
  } finally {
    await stopEngine(store, 10_000);
  }
}

async function withClient<T>(address: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(address, { serverSelectionTimeoutMS: 5000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const insert = (address: string) =>
  withClient(address, (client) =>
    client.db('lab').collection<{ _id: string }>('kept').insertOne({ _id: '1' }),
  );
const count = (address: string) =>
  withClient(address, (client) => client.db('lab').collection('kept').countDocuments());

testWithOwnStore(
  'data of an open store are there after it got a password, and then only for who has it',
  async () => {
    expect((await stat(passwordFile)).mode & 0o777).toBe(0o600);
    await withStore(false, async ({ address }) => {
      expect(address).not.toContain('@');
      await insert(address);
    });
    await withStore(true, async (store) => {
      const { address, port } = store;
      const at = (user: string) => `mongodb://${user}127.0.0.1:${port}/?directConnection=true`;
      expect(await count(address)).toBe(1);
      expect(await isHealthy(store)).toBe(true);
      await expect(count(at(''))).rejects.toMatchObject({ code: 13 });
      await expect(insert(at(''))).rejects.toMatchObject({ code: 13 });
      for (const user of ['calibron:wrong@', `root:${password}@`]) {
        await expect(count(at(user))).rejects.toMatchObject({ code: 18 });
      }
      expect(await count(at(`calibron:${password}@`))).toBe(1);
      await expect(legacyQuery(port)).resolves.not.toContain('kept');
    });
    // The same password again, as after a restart.
    await withStore(true, async ({ address }) => {
      expect(await count(address)).toBe(1);
    });
  },
);

testWithOwnStore(
  'a password of any characters reaches the store, also in an address from a file',
  async () => {
    const special = `p@ss/w:rd %41?#[]&+='"ü\\`;
    const [file, addressFile] = [join(directory, 'special'), join(directory, 'address')];
    await writeFile(file, `${special}\n`);
    const store = await startMongo(await findEngine('mongodb', noReport, mongodbCandidates().slice(1)), {
      port: await freePort(),
      logFile: join(directory, 'log-special'),
      passwordFile: file,
    });
    try {
      await insert(store.address);
      const at = `127.0.0.1:${store.port}/?authSource=admin&directConnection=true`;
      await writeFile(addressFile, `mongodb://calibron:${encodeURIComponent(special)}@${at}\n`);
      const { MONGODB_URI } = readSettings({ MONGODB_URI_FILE: addressFile });
      const database = await connectDatabase(MONGODB_URI, 'lab');
      expect(await database.ping()).toBe(true);
      expect(await database.db.collection('kept').countDocuments()).toBe(1);
      await database.close();
      const wrong = connectDatabase(`mongodb://calibron:${encodeURIComponent(`${special}x`)}@${at}`, 'lab');
      await expect(wrong).rejects.toMatchObject({ code: 18 });
    } finally {
      await stopEngine(store, 10_000);
    }
  },
);

testWithOwnStore('a store without the password in its file does not start', async () => {
  const empty = join(directory, 'empty');
  await writeFile(empty, '\n');
  const source = await findEngine('mongodb', noReport, mongodbCandidates().slice(1));
  if (source.kind === 'program' && source.flavour === 'mongod') return;
  const starting = startMongo(source, {
    port: await freePort(),
    logFile: join(directory, 'log-empty'),
    passwordFile: empty,
  });
  await expect(starting).rejects.toThrow('is empty');
});

/** The answer to a query of the earlier protocol for the collections of `lab`, as text; empty if the connection is closed. */
function legacyQuery(port: number): Promise<string> {
  const name = Buffer.from('lab.kept\0');
  const body = Buffer.from([5, 0, 0, 0, 0]);
  const message = Buffer.alloc(16 + 4 + name.length + 8 + body.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(2004, 12);
  name.copy(message, 20);
  message.writeInt32LE(10, 20 + name.length + 4);
  body.copy(message, 20 + name.length + 8);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(message));
    let answer = Buffer.alloc(0);
    socket.on('data', (data) => {
      answer = Buffer.concat([answer, data]);
      if (answer.length >= 4 && answer.length >= answer.readInt32LE(0)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer.toString('latin1')));
  });
}
