/**
 * Mutation testing on demand with the unit tests: npm run mutate -- --mutate 'shared/domain/runs/*rules.ts' for a folder.
 * Results are kept in .stryker/, so that a later run only tests what has changed since, or was not reached.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.unit.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: [
    'shared/domain/**/*rules.ts',
    'shared/tasks/gates.ts',
    'shared/tasks/plausibility.ts',
    'shared/kernel/command-turns.ts',
    'activities/record/trailing-writes.ts',
  ],
  incremental: true,
  incrementalFile: '.stryker/incremental.json',
  tempDirName: '.stryker/tree',
  cleanTempDir: 'always',
  ignorePatterns: ['.data', 'dist', 'coverage', 'packages', 'test/histories'],
  // Static mutants need all tests each, and most are texts of tables.
  ignoreStatic: true,
  reporters: ['clear-text', 'progress', 'json'],
  jsonReporter: { fileName: '.stryker/report.json' },
  clearTextReporter: { logTests: false, allowColor: false },
  thresholds: { high: 85, low: 85, break: 85 },
  concurrency: 2,
};
