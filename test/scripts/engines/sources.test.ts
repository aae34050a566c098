import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cacheRoot, UnusableCache } from '../../../scripts/engines/cache.ts';
import { mongodbCandidates, temporalCandidates } from '../../../scripts/engines/candidates.ts';
import { downloadFile } from '../../../scripts/engines/downloads.ts';
import { type Candidate, EngineNotFound, findEngine } from '../../../scripts/engines/sources.ts';
import type { EngineSource } from '../../../scripts/engines/types.ts';

let directory: string;
let lines: string[];
const report = (line: string) => lines.push(line);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-sources-'));
  lines = [];
  for (const variable of ['TEMPORAL_ADDRESS', 'MONGODB_URI', 'TEMPORAL_BINARY', 'MONGOD_BINARY']) {
    vi.stubEnv(variable, '');
  }
  vi.stubEnv('CALIBRON_CACHE', join(directory, 'cache'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

describe('the order of the candidates', () => {
  test('an address from the environment comes first and nothing is started for it', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', 'temporal.example:7233');
    vi.stubEnv('TEMPORAL_BINARY', await program('temporal', 'temporal version 9.9.9'));
    expect(await findEngine('temporal', report)).toEqual({
      kind: 'address',
      address: 'temporal.example:7233',
      origin: 'the server at TEMPORAL_ADDRESS',
    });
    expect(lines).toEqual(['temporal: the server at TEMPORAL_ADDRESS']);
  });

  test('a program named in the environment comes before one on PATH', async () => {
    const named = await program('my-mongod', 'db version v7.0.1');
    await program('mongod', 'db version v8.0.0');
    vi.stubEnv('MONGOD_BINARY', named);
    vi.stubEnv('PATH', directory);
    expect(await findEngine('mongodb', report)).toMatchObject({ command: named, flavour: 'mongod' });
  });

  test('a named program that does not run is reported, and the one on PATH is taken', async () => {
    const found = await program('temporal', 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)');
    vi.stubEnv('TEMPORAL_BINARY', join(directory, 'no-such-program'));
    vi.stubEnv('PATH', directory);
    expect(await findEngine('temporal', report)).toMatchObject({ kind: 'program', command: found });
    expect(lines[0]).toMatch(/^temporal: TEMPORAL_BINARY did not work: .*no-such-program/);
    expect(lines).toHaveLength(2);
  });

  test('a cache that cannot be written to is the reason that is given in the end', async () => {
    const refusal = 'The directory /cache cannot be written to.';
    const candidate = {
      title: 'the download',
      find: () => Promise.reject(new UnusableCache(refusal)),
    };
    await expect(findEngine('temporal', report, [candidate])).rejects.toThrow(
      `No Temporal server could be found, downloaded or built: ${refusal}`,
    );
  });

  test('a program of that name which is something else, or too old, is passed over', async () => {
    await program('mongod', 'db version v4.2.1');
    vi.stubEnv('PATH', directory);
    await expect(findEngine('mongodb', report, withoutNetwork(mongodbCandidates()))).rejects.toThrow(
      EngineNotFound,
    );
    expect(lines.join('\n')).toContain('is not mongod 6 or later');

    await program('temporal', 'a file of temporal data');
    await expect(findEngine('temporal', report, withoutNetwork(temporalCandidates()))).rejects.toThrow(
      EngineNotFound,
    );
    expect(lines.join('\n')).toContain('is not the Temporal CLI');
  });

  test('a candidate that fails falls through to the next, and the line says why', async () => {
    const ways = [failing('the download', 'nobody answers'), absent('the cache'), giving('the build')];
    expect(await findEngine('mongodb', report, ways)).toEqual(source('the build'));
    expect(lines).toEqual(['mongodb: the download did not work: nobody answers', 'mongodb: the build']);
  });
});

describe('when no candidate is left', () => {
  test('the message for Temporal names what to install', async () => {
    await expect(findEngine('temporal', report, [failing('the download', 'no')])).rejects.toThrow(
      'No Temporal server could be found, downloaded or built: install the Temporal CLI (`temporal`) or Go 1.25, ' +
        'or set TEMPORAL_ADDRESS.',
    );
  });

  test('the message for MongoDB names what to install', async () => {
    await expect(findEngine('mongodb', report, [])).rejects.toThrow(
      'No MongoDB server could be found, downloaded or built: install MongoDB 7 (`mongod`), or a Java 17 JDK with ' +
        'Maven, or set MONGODB_URI.',
    );
  });

  test('a machine with neither Go nor a network is told so', async () => {
    vi.stubEnv('PATH', directory);
    await expect(findEngine('temporal', report, withoutNetwork(temporalCandidates()))).rejects.toThrow(
      EngineNotFound,
    );
  });
});

describe('a download', () => {
  test('is given up where nothing answers', async () => {
    await expect(
      downloadFile('http://127.0.0.1:1/archive', join(directory, 'file'), 'it', report),
    ).rejects.toThrow();
  });

  test('is written to its file and shows how far it is', async () => {
    const body = Buffer.alloc(3_000_000, 7);
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = addressOf(server.address());
    try {
      const file = join(directory, 'file');
      await downloadFile(`http://127.0.0.1:${port}/archive`, file, 'the archive', report);
      expect(lines[0]).toMatch(/^downloading the archive: \d+ of 3 MB$/);
      expect(await readdir(directory)).toContain('file');
    } finally {
      server.close();
    }
  });

  test('that is refused names who refused', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = addressOf(server.address());
    try {
      const download = downloadFile(
        `http://127.0.0.1:${port}/archive`,
        join(directory, 'file'),
        'it',
        report,
      );
      await expect(download).rejects.toThrow(`127.0.0.1:${port} answered 404`);
    } finally {
      server.close();
    }
  });
});

test("the cache is where the environment says, else in the user's directory", () => {
  expect(cacheRoot({ CALIBRON_CACHE: '/cache' })).toBe('/cache');
  expect(cacheRoot({ XDG_CACHE_HOME: '/xdg' })).toBe(join('/xdg', 'calibron'));
  expect(cacheRoot({})).toMatch(/\.cache[\\/]calibron$/);
});

/** A stand-in that prints its version, as the real programs do for `--version`. */
async function program(name: string, version: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\necho '${version}'\n`);
  await chmod(path, 0o755);
  return path;
}

/** A machine that may have a network is tested as one that has none. */
function withoutNetwork(ways: Candidate[]): Candidate[] {
  return ways.map((way) => (way.title === 'the download' ? failing(way.title, 'nobody answers') : way));
}

function failing(title: string, reason: string): Candidate {
  return { title, find: () => Promise.reject(new Error(reason)) };
}

function absent(title: string): Candidate {
  return { title, find: async () => undefined };
}

function giving(title: string): Candidate {
  return { title, find: async () => source(title) };
}

function source(origin: string): EngineSource {
  return { kind: 'program', command: 'program', args: [], flavour: 'mongod', origin };
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') {
    throw new Error('not an internet address');
  }
  return address;
}
