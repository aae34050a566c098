import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { buildJavaStore, buildTemporal } from './builders.ts';
import { cachedDirectory, cacheRoot, exists } from './cache.ts';
import { onPath, run } from './commands.ts';
import { downloadMongod, downloadTemporal, MONGOD_VERSION } from './downloads.ts';
import type { Candidate, EngineFlavour, EngineSource } from './types.ts';

/** Server 1.29.1, UI 2.42.1; later tags have a `replace` in go.mod and cannot be installed by `go install`. */
const TEMPORAL_VERSION = '1.5.1';
const OLDEST_MONGOD = 6;
const VERSION_TIMEOUT_MS = 10_000;

const JAVA_SOURCES = fileURLToPath(new URL('packages/embedded-store', packageRoot));
/** One gigabyte is enough for the document cache and a scan. G1 has the shortest pauses with such a heap. */
// The stack size allows reading a document with tens of thousands of levels, so that it is rejected with a message.
// Deeper ones close the sender's connection.
const JAVA_OPTIONS = [
  '-Xmx1g',
  '-Xss16m',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseG1GC',
  '-XX:+ExitOnOutOfMemoryError',
];
const JAVA_MAIN = 'calibron.store.Main';

/** The candidates for a Temporal server, best first. */
export function temporalCandidates(): Candidate[] {
  const entry = join(cacheRoot(), `temporal-${TEMPORAL_VERSION}`);
  const program = join(entry, 'temporal');
  const cached = (origin: string) => checkedTemporal(program, origin);
  return [
    addressCandidate('TEMPORAL_ADDRESS'),
    namedCandidate('TEMPORAL_BINARY', checkedTemporal),
    pathCandidate('temporal', checkedTemporal),
    {
      title: 'the cached program',
      find: async () => ((await exists(program)) ? cached('program of an earlier run') : undefined),
    },
    {
      title: 'the download',
      find: async (report) => {
        await cachedDirectory(entry, (into) => downloadTemporal(TEMPORAL_VERSION, into, report), report);
        return cached(`downloaded Temporal CLI ${TEMPORAL_VERSION}`);
      },
    },
    {
      title: 'the build with Go',
      find: async (report) => {
        if (!(await onPath('go'))) {
          return undefined;
        }
        await cachedDirectory(entry, (into) => buildTemporal(TEMPORAL_VERSION, into, report), report);
        return cached(`built Temporal CLI ${TEMPORAL_VERSION} with Go`);
      },
    },
  ];
}

/** The candidates for a server that speaks MongoDB's protocol, best first. */
export function mongodbCandidates(): Candidate[] {
  const mongodEntry = join(cacheRoot(), `mongod-${MONGOD_VERSION}`);
  const mongod = join(mongodEntry, 'mongod');
  return [
    addressCandidate('MONGODB_URI'),
    { ...namedCandidate('MONGOD_BINARY', checkedMongod), flavour: 'mongod' },
    { ...pathCandidate('mongod', checkedMongod), flavour: 'mongod' },
    {
      title: 'the cached mongod',
      flavour: 'mongod',
      find: async () =>
        (await exists(mongod)) ? checkedMongod(mongod, 'mongod of an earlier run') : undefined,
    },
    {
      title: 'the cached embedded store',
      flavour: 'mongo-java-server',
      find: async () => {
        const entry = await javaStoreEntry();
        return (await exists(entry)) ? javaStore(entry, 'embedded store of an earlier run') : undefined;
      },
    },
    {
      title: 'the download',
      flavour: 'mongod',
      find: async (report) => {
        await cachedDirectory(mongodEntry, (into) => downloadMongod(into, report), report);
        return checkedMongod(mongod, `downloaded mongod ${MONGOD_VERSION}`);
      },
    },
    {
      title: 'the build of the embedded store with Maven',
      flavour: 'mongo-java-server',
      find: async (report) => {
        if (!(await onPath('mvn')) || !(await onPath('javac'))) {
          return undefined;
        }
        const build = (into: string) => buildJavaStore(JAVA_SOURCES, into, report);
        const entry = await cachedDirectory(await javaStoreEntry(), build, report);
        return javaStore(entry, 'embedded store, built with Maven');
      },
    },
  ];
}

function addressCandidate(variable: string): Candidate {
  return {
    title: variable,
    find: async () => {
      const address = process.env[variable];
      return address ? { kind: 'address', address, origin: `the server at ${variable}` } : undefined;
    },
  };
}

type Checked = (program: string, origin: string) => Promise<EngineSource>;

function namedCandidate(variable: string, checked: Checked): Candidate {
  return {
    title: variable,
    find: async () => {
      const program = process.env[variable];
      return program ? checked(program, `the program at ${variable}`) : undefined;
    },
  };
}

function pathCandidate(program: string, checked: Checked): Candidate {
  return {
    title: `\`${program}\` on PATH`,
    find: async () => {
      const path = await onPath(program);
      return path === null ? undefined : checked(path, path);
    },
  };
}

async function checkedTemporal(program: string, origin: string): Promise<EngineSource> {
  const version = await versionOf(program);
  if (!/temporal version/i.test(version)) {
    throw new Error(`${program} is not the Temporal CLI`);
  }
  return programSource(program, [], 'temporal', origin);
}

async function checkedMongod(program: string, origin: string): Promise<EngineSource> {
  const major = /db version v(\d+)/.exec(await versionOf(program))?.[1];
  if (major === undefined || Number(major) < OLDEST_MONGOD) {
    throw new Error(`${program} is not mongod ${OLDEST_MONGOD} or later`);
  }
  return programSource(program, [], 'mongod', origin);
}

function versionOf(program: string): Promise<string> {
  return run(program, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS });
}

async function javaStore(entry: string, origin: string): Promise<EngineSource> {
  const java = await onPath('java');
  if (java === null) {
    throw new Error('there is no `java` on PATH to run it');
  }
  const classPath = [join(entry, 'classes'), join(entry, 'lib', '*')].join(delimiter);
  return programSource(java, [...JAVA_OPTIONS, '-cp', classPath, JAVA_MAIN], 'mongo-java-server', origin);
}

/** The entry depends on the sources, so that the cache never serves an outdated launcher. */
async function javaStoreEntry(): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(join(JAVA_SOURCES, 'src'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  files.push(join(JAVA_SOURCES, 'pom.xml'));
  for (const file of files.sort()) {
    hash
      .update(file.slice(JAVA_SOURCES.length))
      .update('\0')
      .update(await readFile(file));
  }
  return join(cacheRoot(), `embedded-store-${hash.digest('hex').slice(0, 16)}`);
}

function programSource(
  command: string,
  args: string[],
  flavour: EngineFlavour,
  origin: string,
): EngineSource {
  return { kind: 'program', command, args, flavour, origin };
}
