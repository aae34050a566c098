import { defineConfig } from 'vitest/config';
import { repeatingFiles, soaking } from './test/support/repetitions.ts';

/** Two files at a time beside the two engines is what two cores bear. */
const DEFAULT_WORKERS = 2;
/** Milliseconds for a test, and for one that repeats in full. */
const [TEST_TIMEOUT, SOAK_TIMEOUT] = [60_000, 3_600_000];

export default defineConfig({
  test: {
    include: soaking ? repeatingFiles() : ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: Number(process.env.CALIBRON_TEST_WORKERS ?? DEFAULT_WORKERS),
    testTimeout: soaking ? SOAK_TIMEOUT : TEST_TIMEOUT,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    globalSetup: ['scripts/engines/vitest-setup.ts'],
    reporters: ['default', './scripts/engines/vitest-reporter.ts'],
  },
});
