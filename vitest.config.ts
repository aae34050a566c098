import { defineConfig } from 'vitest/config';
import { FileOrder } from './test/support/file-order.ts';
import { repeatingFiles, soaking } from './test/support/repetitions.ts';

/** Twice the two cores that the suite is measured on: with three test processes they idled a quarter of the time. */
const DEFAULT_WORKERS = 4;
/** Where what each file costs of processor time is noted: then one file runs at a time. */
const measuresProcessorTime = process.env.CALIBRON_TEST_CPU !== undefined;
const MAX_WORKERS = measuresProcessorTime ? 1 : Number(process.env.CALIBRON_TEST_WORKERS ?? DEFAULT_WORKERS);
/** Milliseconds for a test, and for one that repeats in full: far beyond what a slow and busy machine takes. */
const [TEST_TIMEOUT, SOAK_TIMEOUT] = [300_000, 3_600_000];

/** These measure the memory of their process, so no other file may have run in it. */
const MEASURING_MEMORY = [
  'test/activities/flow-isolate/isolate-memory.test.ts',
  'test/api/open-files.test.ts',
  'test/shared/science/datasets/netcdf.test.ts',
];

/** Generators of clients take long and come from other registries: they run alone, with npm run test:clients. */
const CLIENTS = ['test/clients/*.check.ts'];
const isForClients = process.env.CALIBRON_TEST_CLIENTS !== undefined;

const repeating = repeatingFiles();
const each = {
  pool: 'forks' as const,
  setupFiles: ['test/support/end-with-the-run.ts'],
  maxWorkers: MAX_WORKERS,
  testTimeout: soaking ? SOAK_TIMEOUT : TEST_TIMEOUT,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 120_000 } },
  teardownTimeout: 30_000,
};

export default defineConfig({
  test: {
    globalSetup: ['scripts/engines/vitest-setup.ts'],
    reporters: [
      'default',
      './scripts/engines/vitest-reporter.ts',
      ...(measuresProcessorTime ? ['./scripts/engines/vitest-processor-time.ts'] : []),
    ],
    sequence: { sequencer: FileOrder },
    maxWorkers: MAX_WORKERS,
    projects: [
      {
        test: {
          ...each,
          name: 'own process',
          include: isForClients
            ? []
            : soaking
              ? MEASURING_MEMORY.filter((file) => repeating.includes(file))
              : MEASURING_MEMORY,
        },
      },
      // One process runs file after file: to import everything anew takes a core longer than most files do.
      {
        test: {
          ...each,
          name: 'calibron',
          include: isForClients ? CLIENTS : soaking ? repeating : ['test/**/*.test.ts'],
          exclude: MEASURING_MEMORY,
          isolate: false,
        },
      },
    ],
  },
});
