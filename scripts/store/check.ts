import type { Collection, Db, Document } from 'mongodb';
import {
  type Database,
  duplicatesOf,
  isDuplicateKey,
  isStoreFull,
  isStoreUnavailable,
  isUnstorable,
} from '../../shared/kernel/database.ts';
import { weakeningOptions } from '../../shared/kernel/database-address.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { ensureIndexes } from '../../shared/kernel/index-builds.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { storeWarnings } from '../../shared/kernel/store-warnings.ts';
import { literalPattern } from '../../shared/kernel/text.ts';

/** Result of a check. A `problem` must be fixed before the server is used, a `warning` should be fixed. */
export interface Finding {
  title: string;
  kind: 'ok' | 'warning' | 'problem';
  /** Description of the finding, with instructions if it is a problem. */
  message: string;
}

const OLDEST_MAJOR = 6;
const WRITERS = 10;
const WRITES_EACH = 20;
const MEGABYTE = 1024 * 1024;
const LARGEST_DOCUMENT = 15.9 * MEGABYTE;
/** Milliseconds up to which a majority write does not slow down a calibration. */
const SLOW_WRITE = 50;
const MAX_CLOCK_DIFFERENCE = 1000;
const MIN_MEMBERS = 3;
/** Maximum time in milliseconds to build the indexes of an empty collection. */
const LONGEST_BUILD = 15_000;

interface Numbered {
  _id: string;
  n?: number;
  holder?: number | null;
  text?: string;
  more?: string;
}

/** A check fails by throwing. Its return value is reported with its success. */
interface Check {
  title: string;
  run(scratch: Scratch): Promise<string>;
}

interface Scratch {
  database: Database;
  db: Db;
  /** A collection of this check alone, removed afterwards. */
  collection: Collection<Numbered>;
}

/** The server does not meet a requirement. The message explains what to do. */
class Unfit extends Error {}

/**
 * Checks, on a few collections of its own, that a server meets Calibron's requirements.
 * @param report called with each finding
 */
export async function checkStore(
  database: Database,
  address: string,
  report: (finding: Finding) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (title: string, kind: Finding['kind'], message: string) => {
    findings.push({ title, kind, message });
    report({ title, kind, message });
  };
  for (const message of weakeningOptions(address)) add('address', 'problem', message);
  for (const { title, run } of checks) {
    const collection = database.db.collection<Numbered>(`check_store_${newId()}`);
    try {
      add(title, 'ok', await run({ database, db: database.db, collection }));
    } catch (thrown) {
      add(title, 'problem', adviceOn(thrown));
    } finally {
      await collection.drop().catch(() => {});
    }
  }
  for (const { title, find } of hints) {
    try {
      for (const message of await find(database, address)) add(title, 'warning', message);
    } catch (thrown) {
      add(title, 'problem', adviceOn(thrown));
    }
  }
  return findings;
}

const checks: readonly Check[] = [
  {
    title: 'version',
    async run({ db }) {
      const { version } = await db.command({ buildInfo: 1 });
      const major = Number(String(version).split('.', 1)[0]);
      if (major < OLDEST_MAJOR) throw new Unfit(`The server is ${version}; use MongoDB 7 or later.`);
      return `the server is ${version}`;
    },
  },
  {
    title: 'indexes',
    async run({ database, collection }) {
      const first = { name: 'i', key: { n: 1 }, expireAfterSeconds: 1000 };
      const changed = {
        name: 'i',
        key: { n: 1, text: -1 },
        partialFilterExpression: { n: { $exists: true } },
      };
      const signal = AbortSignal.timeout(LONGEST_BUILD);
      let last = 'no index could be built';
      const report = (message: string) => {
        last = message;
      };
      for (const index of [first, { ...first, expireAfterSeconds: 2000 }, changed] as const) {
        const declared = [{ collection: collection.collectionName, indexes: [index] }];
        await ensureIndexes(database, declared, { report, signal }).catch((thrown: unknown) => {
          throw signal.aborted
            ? new Unfit(`${last}. Check with rs.status() that there is a primary.`)
            : thrown;
        });
      }
      const names = (await collection.listIndexes().toArray()).map(({ key }) => Object.keys(key).join());
      if (names.join(' ') !== '_id n,text' && names.join(' ') !== 'n,text _id') {
        throw new Unfit(`A changed index left the indexes ${names.join(' ')}. Is this MongoDB?`);
      }
      return 'are built, changed and dropped';
    },
  },
  {
    title: 'atomicity',
    async run({ collection }) {
      await collection.insertOne({ _id: 'count', n: 0, holder: null });
      const writers = Array.from({ length: WRITERS }, (_, writer) => writer);
      await Promise.all(
        writers.flatMap(() =>
          Array.from({ length: WRITES_EACH }, () =>
            collection.updateOne({ _id: 'count' }, { $inc: { n: 1 } }),
          ),
        ),
      );
      const counted = (await collection.findOne({ _id: 'count' }))?.n;
      const expected = WRITERS * WRITES_EACH;
      if (counted !== expected) {
        throw new Unfit(
          `${expected} concurrent increments gave ${counted}: the server loses updates. Use MongoDB.`,
        );
      }
      const taken = await Promise.all(
        writers.map((holder) =>
          collection.findOneAndUpdate({ _id: 'count', holder: null }, { $set: { holder } }),
        ),
      );
      const winners = taken.filter((document) => document !== null).length;
      if (winners !== 1) throw new Unfit(`${winners} of ${WRITERS} writers got the same lock. Use MongoDB.`);
      return `${WRITERS} writers lost no update, and one of them got the lock`;
    },
  },
  {
    title: 'duplicate keys',
    async run({ collection }) {
      await collection.createIndex({ n: 1 }, { name: 'unique_n', unique: true });
      await collection.insertOne({ _id: 'a', n: 1 });
      const refused = await thrownBy(collection.insertOne({ _id: 'b', n: 1 }));
      if (!isDuplicateKey(refused))
        throw refused ?? new Unfit('A unique index accepted the same value twice. Use MongoDB.');
      const some = await thrownBy(
        collection.insertMany([{ _id: 'a' }, { _id: 'c', n: 3 }], { ordered: false }),
      );
      if (duplicatesOf(some)?.size !== 1)
        throw some ?? new Unfit('The same key was accepted twice. Use MongoDB.');
      return 'are refused, alone and in bulk';
    },
  },
  {
    title: 'write and read concern',
    async run({ collection }) {
      const times: number[] = [];
      for (let n = 0; n < WRITES_EACH; n += 1) {
        const since = performance.now();
        await collection.insertOne({ _id: String(n), n });
        times.push(performance.now() - since);
        if ((await collection.findOne({ _id: String(n) })) === null) {
          throw new Unfit(
            'A read did not return the write before it, which a majority had acknowledged. Use one primary.',
          );
        }
      }
      const median = times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
      if (median > SLOW_WRITE) {
        throw new Unfit(
          `A write to the journals of a majority takes ${median.toFixed(0)} ms; move the members closer together, or to faster disks.`,
        );
      }
      return `a write to the journals of a majority takes ${median.toFixed(1)} ms`;
    },
  },
  {
    title: 'document sizes',
    async run({ collection }) {
      await collection.insertOne({ _id: 'large', text: 'x'.repeat(LARGEST_DOCUMENT) });
      const size = (await collection.findOne({ _id: 'large' }))?.text?.length;
      if (size !== Math.floor(LARGEST_DOCUMENT)) throw new Unfit('A document of 15.9 MB came back changed.');
      const refused = await thrownBy(
        collection.updateOne({ _id: 'large' }, { $set: { more: 'x'.repeat(MEGABYTE) } }),
      );
      if (!isUnstorable(refused))
        throw refused ?? new Unfit('A document beyond 16 MB was accepted. Use MongoDB.');
      return 'documents up to 16 MB are stored, larger ones refused';
    },
  },
  {
    title: 'searches',
    async run({ collection }) {
      await collection.insertOne({ _id: 'a', text: 'a\u2028(b' });
      const found = await collection.findOne({ text: { $regex: literalPattern('\u2028(B'), $options: 'i' } });
      if (!found) throw new Unfit('A search for a part of a text found nothing. Use MongoDB.');
      return 'find parts of texts';
    },
  },
];

/** Warnings about setups that work, but would not survive a year of laboratory use. */
const hints: readonly { title: string; find(database: Database, address: string): Promise<string[]> }[] = [
  {
    title: 'server',
    find: ({ db }, address) => storeWarnings(db, address),
  },
  {
    title: 'failover',
    async find({ db }) {
      const hello = await db.command({ hello: 1 });
      return hello['setName'] === undefined ? [] : failoverHints(hello);
    },
  },
  {
    title: 'clock',
    async find({ db }) {
      const requestedAt = Date.now();
      const { localTime } = await db.command({ hello: 1 });
      const difference = new Date(localTime).getTime() - (requestedAt + Date.now()) / 2;
      if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE) return [];
      return [
        `The clocks of the server and of this machine differ by ${Math.round(difference)} ms; use NTP.`,
      ];
    },
  },
];

function failoverHints(hello: Document): string[] {
  const problems: string[] = [];
  const members = [...(hello['hosts'] ?? []), ...(hello['passives'] ?? [])].length;
  const arbiters = (hello['arbiters'] ?? []).length;
  if (members < MIN_MEMBERS) {
    problems.push(
      `The replica set has ${members} member${members === 1 ? '' : 's'} with data; with three, one can fail without an interruption.`,
    );
  }
  if (arbiters > 0) {
    problems.push(
      'The replica set has an arbiter: while a member with data is down, no write is confirmed. Replace it.',
    );
  }
  if (hello['logicalSessionTimeoutMinutes'] === undefined) {
    problems.push('The server has no sessions: a write whose answer is lost cannot be repeated safely.');
  }
  return problems;
}

const NOT_PERMITTED = new Set([13, 8000]);

/** Advice on the error that a check threw. */
function adviceOn(thrown: unknown): string {
  if (thrown instanceof Unfit) return thrown.message;
  const reason = messageOf(thrown);
  const code = thrown instanceof Error && 'code' in thrown ? Number(thrown.code) : 0;
  if (NOT_PERMITTED.has(code))
    return `${reason}. Give the user the roles readWrite and dbAdmin on the database.`;
  if (isStoreFull(thrown)) return `${reason}. Free up space on the disk of the server.`;
  if (isStoreUnavailable(thrown)) {
    return `${reason}. Check with rs.status() that there is a primary and that a majority of the members is up.`;
  }
  return reason;
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return null;
  } catch (thrown) {
    return thrown;
  }
}
