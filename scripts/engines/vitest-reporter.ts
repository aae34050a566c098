import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

type ConsoleLog = Parameters<NonNullable<Reporter['onUserConsoleLog']>>[0];

/** Characters kept of what a test printed, and the number of failed tests of which they are repeated. */
const [KEPT_CHARACTERS, MAX_REPEATED] = [4000, 10];

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Stores the runner's counts for scripts/test.mjs, which prints them as its last line, and repeats at the end what failed tests
 * printed: of a long log, people and CI look at the end.
 */
export default class CountReporter implements Reporter {
  private readonly printed = new Map<string, string>();

  onUserConsoleLog({ taskId, content }: ConsoleLog): void {
    if (taskId === undefined) return;
    const text = (this.printed.get(taskId) ?? '') + content;
    this.printed.set(taskId, text.slice(-KEPT_CHARACTERS));
  }

  onTestCaseResult(test: TestCase): void {
    // What tests print as they fail comes before their result, and only failed ones are repeated.
    if (test.result().state !== 'failed') this.printed.delete(test.id);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    for (const text of this.failedTestsPrinted(modules)) console.log(text);
    const file = process.env.CALIBRON_TEST_COUNTS;
    if (file !== undefined) {
      writeFileSync(file, JSON.stringify(countsOf(modules, unhandledErrors.length)));
    }
  }

  private failedTestsPrinted(modules: readonly TestModule[]): string[] {
    const failed = modules.flatMap((module) => [...module.children.allTests('failed')]);
    return failed
      .flatMap((test) => {
        const text = this.printed.get(test.id);
        return text === undefined ? [] : [`Printed by "${test.fullName}":\n${text}`];
      })
      .slice(0, MAX_REPEATED);
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
