import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { unitFiles } from '../../test/support/unit-files.ts';
import { SOURCES } from './results.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = process.env[SOURCES] ?? '';

/** The unit tests with instrumented sources: npm run mutate. */
export default defineConfig({
  root,
  plugins: [
    {
      name: 'instrumented',
      enforce: 'pre',
      load(id) {
        const path = join(sources, relative(root, id));
        return id.startsWith(root) && existsSync(path) ? readFileSync(path, 'utf8') : null;
      },
    },
  ],
  test: {
    include: unitFiles(),
    runner: './scripts/mutation/runner.ts',
    pool: 'forks',
    maxWorkers: Number(process.env.CALIBRON_TEST_WORKERS ?? 2),
    testTimeout: 60_000,
    watch: false,
    onConsoleLog: () => false,
  },
});
