import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Stores the runner's counts for scripts/test.mjs, which prints them as its last line. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const file = process.env.CALIBRON_TEST_COUNTS;
    if (file !== undefined) {
      writeFileSync(file, JSON.stringify(countsOf(modules, unhandledErrors.length)));
    }
  }
}

/** Counts results. A file that does not load, a failing hook and an error outside of tests count as failures too. */
function countsOf(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    let failedInside = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === 'pending' ? 'failed' : state] += 1;
      failedInside += state === 'failed' || state === 'pending' ? 1 : 0;
    }
    if (failedInside === 0 && !module.ok()) {
      counts.failed += 1;
    }
  }
  return counts;
}
