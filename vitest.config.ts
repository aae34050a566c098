import { defineConfig } from 'vitest/config';

/** Two files at a time beside the two engines is what two cores bear. */
const DEFAULT_WORKERS = 2;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: Number(process.env.CALIBRON_TEST_WORKERS ?? DEFAULT_WORKERS),
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    globalSetup: ['scripts/engines/vitest-setup.ts'],
    reporters: ['default', './scripts/engines/vitest-reporter.ts'],
  },
});
