/**
 * `npm run bench -- <name> [memory] [small] [data=<folder>]`: runs a benchmark on engines with files, like `npm start`, or
 * in memory. Prints the results with command, versions and machine, and saves them under `bench/results`. `small` only
 * tries a large benchmark and saves nothing. `data` keeps the store in that folder, so that a later run can reuse its data.
 */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { killEngines, onAbruptEnd } from '../engines/abrupt-end.ts';
import { freePort, startMongo, startTemporal, stopEngine } from '../engines/processes.ts';
import { findEngine } from '../engines/sources.ts';
import type { EngineProcess } from '../engines/types.ts';
import { compilePrograms } from '../programs.ts';
import type { Engines } from './engines.ts';
import type { Figure } from './figure.ts';

/** A store on disk gets time for a clean shutdown, so that its data and indexes stay intact. */
const STORE_CLOSES_WITHIN_MS = 60_000;

type Bench = (small: boolean, engines: Engines, kept: boolean) => Promise<Figure[]>;

/** Benchmarks are loaded on demand, because loading all of them takes four seconds of processor time. */
const benches: Record<string, () => Promise<Bench>> = {
  api: async () => (await import('./api.ts')).benchApi,
  engine: async () => (await import('./engine.ts')).benchEngine,
  run64: async () => (await import('./run64.ts')).benchRun64,
  size: async () => (await import('./size.ts')).benchSize,
  largest: async () => (await import('./size.ts')).benchLargest,
  listeners: async () => (await import('./listeners.ts')).benchListeners,
  provenance: async () => {
    const { benchProvenance } = await import('./provenance.ts');
    return (small, _, kept) => benchProvenance(small, kept);
  },
  reads: async () => {
    const [{ benchReads }, { benchForumReads }] = await Promise.all([
      import('./reads.ts'),
      import('./forum-reads.ts'),
    ]);
    return async (small, { pids: { store } }, kept) => [
      ...(await benchReads(small, store, kept)),
      ...(await benchForumReads(small, store)),
    ];
  },
  forum: async () => {
    const { benchForumReads } = await import('./forum-reads.ts');
    return (small, { pids }) => benchForumReads(small, pids.store);
  },
  fairness: async () => (await import('./fairness.ts')).benchFairness,
  forecast: async () => (await import('./forecast.ts')).benchForecast,
  polling: async () => (await import('./polling.ts')).benchPolling,
  'polling-large': async () => (await import('./polling-large.ts')).benchPollingLarge,
  'maintain-day': async () => (await import('./maintain-day.ts')).benchMaintainDay,
  schedules: async () => (await import('./schedules.ts')).benchSchedules,
};

async function main(): Promise<void> {
  const name = process.argv[2] ?? '';
  // These benchmarks need no engines.
  if (name === 'console') return benchConsole(process.argv.slice(3));
  if (name === 'honesty') return (await import('./honesty.ts')).benchHonesty(process.argv.slice(3));
  if (name === 'maintain') return (await import('./maintain.ts')).benchMaintain(process.argv.slice(3));
  const load = benches[name];
  if (!load) {
    console.error(
      `Say what to measure: npm run bench -- ${Object.keys(benches).join(' | ')} | console | honesty | maintain`,
    );
    process.exit(2);
  }
  const bench = await load();
  await compilePrograms();
  const directory = await mkdtemp(join(tmpdir(), 'calibron-bench-'));
  const options = process.argv.slice(3);
  const inMemory = options.includes('memory');
  const data = options.find((option) => option.startsWith('data='))?.slice('data='.length);
  const report = (line: string) => console.log(line);
  const metricsPort = await freePort();
  const started: EngineProcess[] = [];
  onAbruptEnd(() => {
    killEngines(started);
    rmSync(directory, { recursive: true, force: true });
  });
  const temporal = await startTemporal(await findEngine('temporal', report), {
    port: await freePort(),
    metricsPort,
    ...(inMemory ? {} : { databaseFile: join(directory, 'temporal.db'), synchronous: 'FULL' as const }),
    namespace: 'calibron',
    logFile: join(directory, 'temporal.log'),
  });
  started.push(temporal);
  const mongodb = await startMongo(await findEngine('mongodb', report), {
    port: await freePort(),
    ...(inMemory ? {} : { dataPath: data ? resolve(data) : join(directory, 'store') }),
    logFile: join(directory, 'mongodb.log'),
  });
  started.push(mongodb);
  try {
    process.env['CALIBRON_TEST_TEMPORAL'] = temporal.address;
    process.env['CALIBRON_TEST_MONGODB'] = mongodb.address;
    process.env['CALIBRON_TEST_DIRECTORY'] = directory;
    const engines: Engines = {
      pids: { temporal: temporal.pid ?? 0, store: mongodb.pid ?? 0 },
      metricsPort: temporal.pid === null ? null : metricsPort,
    };
    const figures = await bench(options.includes('small'), engines, data !== undefined);
    printMachine(name, options);
    console.log(
      `temporal: ${temporal.origin} (${inMemory ? 'in memory' : 'database file, synchronous FULL'}); mongodb: ${mongodb.origin} (${inMemory ? 'in memory' : 'on disk'})\n`,
    );
    if (!options.includes('small')) await keep(name, options, figures);
    printFigures(figures);
  } finally {
    await stopEngine(temporal, 5000);
    await stopEngine(mongodb, STORE_CLOSES_WITHIN_MS);
    await rm(directory, { recursive: true, force: true });
  }
}

async function benchConsole(options: readonly string[]): Promise<void> {
  const figures = await (await import('./console.ts')).benchConsole(options);
  printMachine('console', options);
  if (!options.includes('small')) await keep('console', options, figures);
  printFigures(figures);
}

function printMachine(name: string, options: readonly string[]): void {
  const [cpu] = cpus();
  console.log(`\n${['npm run bench --', name, ...options].join(' ')}`);
  console.log(
    `node ${process.version}, ${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  );
}

function printFigures(figures: readonly Figure[]): void {
  for (const figure of figures) {
    console.log(
      `${figure.name.padEnd(52)} ${figure.value.padStart(14)}${figure.budget ? `   budget ${figure.budget}` : ''}`,
    );
  }
}

/** Saves the results with command, versions and machine, for comparison with later ones. */
async function keep(name: string, options: readonly string[], figures: readonly Figure[]): Promise<void> {
  const at = new Date().toISOString();
  const results = fileURLToPath(new URL('bench/results/', packageRoot));
  await mkdir(results, { recursive: true });
  const kept = {
    command: ['npm run bench --', name, ...options].join(' '),
    at,
    node: process.version,
    processors: cpus().map(({ model }) => model),
    figures,
  };
  await writeFile(
    join(results, `${name}-${at.replaceAll(':', '')}.json`),
    `${JSON.stringify(kept, null, 2)}\n`,
  );
}

main().then(
  () => process.exit(0),
  (thrown: unknown) => {
    console.error(thrown);
    process.exit(1);
  },
);
