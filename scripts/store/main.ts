/** `npm run store -- copy --to mongod|embedded|mongodb://… [--from mongodb://…]`: copies all data from one store to another. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { readSettings, type Settings } from '../../shared/domain/settings.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { SettingsError } from '../../shared/kernel/secret-files.ts';
import { STORE_TITLES, type StoreKind, storeKindOf } from '../engines/store-kind.ts';
import { dataDirectoryAt } from '../start/data-directory.ts';
import { runAsOnlyInstance } from '../start/single-instance.ts';
import { stopGrace, stopPatience } from '../start/stop-grace.ts';
import { stopAll } from '../start/stopping.ts';
import { CopyFailed, copyDatabase } from './copy.ts';
import { findProgramOf, replaceStore, withStore } from './replace-store.ts';

const USAGE = `npm run store -- copy --to mongod|embedded|mongodb://... [--from mongodb://...]

  --to mongod | embedded   puts that kind of store in the place of the one in DATA_DIR
  --to mongodb://...       copies the database MONGODB_DATABASE to a server
  --from mongodb://...     copies from a server; default: the store in DATA_DIR

Stop Calibron first.`;

const kinds: Record<string, StoreKind> = { mongod: 'mongod', embedded: 'mongo-java-server' };

const isAddress = (text: string) => /^mongodb(?:\+srv)?:\/\//.test(text);

const say = (line: string) => console.log(line);

/** Wrong use of the command. The usage is printed after the message. */
class WrongUse extends Error {}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return say(USAGE);
  const { values, positionals } = readArguments();
  const { to, from } = values;
  if (positionals.length !== 1 || positionals[0] !== 'copy') throw new WrongUse('The command is copy.');
  if (to === undefined) throw new WrongUse('--to is missing.');
  if (from !== undefined && !isAddress(from)) throw new WrongUse('--from must begin with mongodb://.');
  const settings = readSettings(process.env);
  const kind = kinds[to];
  if (kind !== undefined) {
    if (from !== undefined) throw new WrongUse('--from needs a --to that begins with mongodb://.');
    await replace(settings, kind);
  } else if (isAddress(to)) {
    await copyToServer(settings, to, from);
  } else {
    throw new WrongUse('--to must be mongod, embedded or begin with mongodb://.');
  }
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { to: { type: 'string' }, from: { type: 'string' } },
    });
  } catch (thrown) {
    throw new WrongUse(messageOf(thrown));
  }
}

async function replace(settings: Settings, kind: StoreKind): Promise<void> {
  const directory = dataDirectoryAt(settings.DATA_DIR);
  const earlier = await alone(settings, () =>
    replaceStore(
      { dataPath: directory.mongoDirectory, kind, logFile: join(directory.logDirectory, 'store-copy.log') },
      say,
    ),
  );
  say(`${directory.mongoDirectory} is now of ${STORE_TITLES[kind]}. The earlier store is in ${earlier}.`);
}

async function copyToServer(settings: Settings, to: string, from: string | undefined): Promise<void> {
  const name = settings.MONGODB_DATABASE;
  const target = new MongoClient(to, { writeConcern: { w: 'majority', journal: true } });
  try {
    const copy = async (source: MongoClient) => {
      const documents = await copyDatabase(source.db(name), target.db(name), say);
      say(`${documents} documents of ${name} copied. Start Calibron with MONGODB_URI set to the new server.`);
    };
    await (from === undefined ? fromDirectory(settings, copy) : fromServer(from, copy));
  } finally {
    await target.close();
  }
}

async function fromServer(address: string, copy: (source: MongoClient) => Promise<void>): Promise<void> {
  const source = new MongoClient(address, { readPreference: 'primary' });
  try {
    await copy(source);
  } finally {
    await source.close();
  }
}

async function fromDirectory(
  settings: Settings,
  copy: (source: MongoClient) => Promise<void>,
): Promise<void> {
  const { mongoDirectory: dataPath, logDirectory } = dataDirectoryAt(settings.DATA_DIR);
  await alone(settings, async () => {
    const kind = await storeKindOf(dataPath);
    if (kind === undefined) throw new CopyFailed(`${dataPath} holds no data; there is nothing to copy.`);
    const source = await findProgramOf(kind, say);
    await withStore({ source, dataPath, logFile: join(logDirectory, 'store-copy.log') }, copy);
  });
}

/** Runs `act` while no `npm start` uses the data directory. Stops processes left by a killed one. */
function alone<T>(settings: Settings, act: () => Promise<T>): Promise<T> {
  const directory = dataDirectoryAt(settings.DATA_DIR);
  return runAsOnlyInstance(directory, { report: say, patience: stopPatience(settings) }, async () => {
    await stopAll(directory, stopGrace(settings));
    return act();
  });
}

await main().catch((thrown: unknown) => {
  const problems = thrown instanceof SettingsError ? thrown.problems : [messageOf(thrown)];
  for (const problem of problems) console.error(problem);
  if (thrown instanceof WrongUse) console.error(USAGE);
  process.exitCode = thrown instanceof WrongUse ? 2 : 1;
});
