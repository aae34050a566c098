import { afterEach, expect, inject, test } from 'vitest';
import { checkStore, type Finding } from '../../../scripts/store/check.ts';
import { connectDatabase, type Database } from '../../../shared/kernel/database.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import {
  type Fate,
  type MongoProxy,
  openMongoProxy,
  type ProxiedCommand,
  refusal,
  withWriteConcernError,
} from '../../support/mongo-proxy.ts';

let proxy: MongoProxy;
let database: Database;

afterEach(async () => {
  proxy.decide();
  await database.db.dropDatabase();
  await database.close();
  await proxy.close();
});

/** What is found on a server that answers some commands in a way of its own. */
async function findingsOn(
  replicaSet: boolean,
  decide: (command: ProxiedCommand) => Fate = () => 'pass',
  options = '',
): Promise<Finding[]> {
  proxy = await openMongoProxy(inject('mongodb'), { replicaSet, decide });
  const address = `${proxy.uri}${options}`;
  database = await connectDatabase(address, `check_${newId().slice(0, 8)}`);
  return checkStore(database, address, () => {});
}

const of = (findings: readonly Finding[], kind: Finding['kind']) =>
  findings.filter((each) => each.kind === kind).map(({ title, message }) => `${title}: ${message}`);

test('the store of this test run has all that is relied on, and is warned about as a single server', async () => {
  const findings = await findingsOn(false);
  expect(of(findings, 'problem')).toEqual([]);
  expect(of(findings, 'warning')).toEqual([
    expect.stringContaining('server: The database is a single server'),
  ]);
  expect(of(findings, 'ok').map((each) => each.split(':', 1)[0])).toEqual([
    'version',
    'indexes',
    'atomicity',
    'duplicate keys',
    'write and read concern',
    'document sizes',
    'searches',
  ]);
  const left = (await database.db.listCollections().toArray()).map(({ name }) => name);
  expect(left.filter((name) => name.startsWith('check_store'))).toEqual([]);
});

test('a replica set of one member works, and is told what a failure would cost', async () => {
  const findings = await findingsOn(true);
  expect(of(findings, 'problem')).toEqual([]);
  expect(of(findings, 'warning')).toEqual([
    expect.stringContaining('failover: The replica set has 1 member'),
  ]);
});

test('an address that weakens durability is a problem', async () => {
  const findings = await findingsOn(true, () => 'pass', '&w=1');
  expect(of(findings, 'problem')).toEqual([expect.stringContaining('address: w=1 is not allowed')]);
});

test.each<[string, (command: ProxiedCommand) => Fate, string]>([
  [
    'that does not let its user make indexes',
    ({ name }) => (name === 'createIndexes' ? { reply: refusal(13, 'Unauthorized') } : 'pass'),
    'indexes: refused by the proxy: Unauthorized. Give the user the roles readWrite and dbAdmin',
  ],
  [
    'without a majority',
    ({ name }) => (name === 'insert' ? { amend: withWriteConcernError(64, 'WriteConcernFailed') } : 'pass'),
    'Check with rs.status() that there is a primary and that a majority',
  ],
  [
    'without a primary',
    ({ name, collection }) =>
      name === 'update' && collection !== 'index_builds'
        ? { reply: refusal(10107, 'NotWritablePrimary', ['RetryableWriteError']) }
        : 'pass',
    'atomicity: refused by the proxy: NotWritablePrimary. Check with rs.status()',
  ],
  [
    'with a full disk',
    ({ name }) => (name === 'insert' ? { reply: refusal(14031, 'OutOfDiskSpace') } : 'pass'),
    'Free up space on the disk',
  ],
  [
    'that is too old',
    ({ name }) => (name === 'buildInfo' ? { amend: (reply) => ({ ...reply, version: '4.4.1' }) } : 'pass'),
    'version: The server is 4.4.1; use MongoDB 7 or later.',
  ],
  [
    'that loses updates',
    ({ name, body }) =>
      name === 'update' && body['ordered'] ? { reply: { ok: 1, n: 1, nModified: 1 } } : 'pass',
    '200 concurrent increments gave 0: the server loses updates',
  ],
])('a server %s is refused with what to do', async (_, decide, message) => {
  const problems = of(await findingsOn(true, decide), 'problem');
  expect(problems.join('\n')).toContain(message);
});
