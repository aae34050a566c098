import { defineConfig } from 'vitest/config';
import { unitFiles } from './test/support/unit-files.ts';

/** Pure rules and science, which need no engines: npm run test:unit, and npm run coverage. */
export default defineConfig({
  test: {
    include: unitFiles(),
    pool: 'forks',
    isolate: false,
    maxWorkers: Number(process.env.CALIBRON_TEST_WORKERS ?? 4),
    testTimeout: 300_000,
    // Unless --watch is given.
    watch: false,
    coverage: {
      provider: 'v8',
      include: ['shared/domain/**/*rules.ts', 'shared/science/**/*.ts'],
      reporter: ['text', 'html'],
      // What the unit tests alone cover. Raise the floor when they cover more.
      thresholds: {
        'shared/domain/**/*rules.ts': { lines: 50 },
        'shared/science/**/*.ts': { lines: 45 },
      },
    },
  },
});
