/**
 * Runs the tests of a file once as they are, then each with every mutant that it reached. Modules stay loaded, which makes a mutant
 * cost milliseconds instead of seconds.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest';
import { RESULTS, type ResultsOfFile } from './results.ts';

/** Times that a mutant may run more often than the original before its loop counts as endless. */
const EXTRA_HITS = 10_000;

/** Milliseconds after which a test tries no further mutants; quicker tests have tried most of them. */
const TEST_BUDGET = 10_000;
/** Milliseconds of a test that tries no mutants, because it is no test of a rule. */
const SLOW_TEST = 2000;

/** What the instrumented code reads and counts. Its name is fixed by Stryker's instrumenter. */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}
declare global {
  var __stryker__: Switch | undefined;
}
globalThis.__stryker__ ??= {};
const mutants = globalThis.__stryker__;

interface Reached {
  test: RunnerTestCase;
  hits: Record<string, number>;
  ms: number;
}

export default class MutationRunner extends TestRunner {
  private readonly reached: Reached[] = [];

  /** Runs a test as it is; after the last one of the file, all of them with mutants. */
  async runTask(test: RunnerTestCase): Promise<void> {
    const began = performance.now();
    mutants.currentTestId = test.id;
    try {
      await TestRunner.getTestFn(test)();
    } finally {
      mutants.currentTestId = undefined;
    }
    const hits = mutants.mutantCoverage?.perTest[test.id] ?? {};
    this.reached.push({ test, hits, ms: performance.now() - began });
    if (test === lastOf(test.file)) await this.runMutants(test.file);
  }

  private async runMutants(file: RunnerTestFile): Promise<void> {
    const loaded = Object.keys(mutants.mutantCoverage?.static ?? {});
    const results: ResultsOfFile = { file: file.name, killed: {}, survived: [], loaded, unstable: [] };
    const survived = new Set<string>();
    for (const { test, hits, ms } of this.reached.toSorted((one, other) => one.ms - other.ms)) {
      if (ms > SLOW_TEST) break;
      const began = performance.now();
      for (const [mutant, count] of Object.entries(hits)) {
        if (performance.now() - began > TEST_BUDGET) break;
        if (mutant in results.killed) continue;
        if (await passes(test, mutant, count + EXTRA_HITS)) survived.add(mutant);
        else results.killed[mutant] = test.name;
      }
      if (!(await passes(test, undefined, undefined))) results.unstable.push(test.name);
    }
    results.survived = [...survived].filter((mutant) => !(mutant in results.killed));
    const name = `${file.name.replaceAll('/', '_')}.json`;
    writeFileSync(join(process.env[RESULTS] ?? '.', name), JSON.stringify(results));
  }
}

function lastOf(suite: RunnerTestSuite): RunnerTestCase | undefined {
  for (const task of suite.tasks.toReversed()) {
    if (task.mode !== 'run' && task.mode !== 'queued') continue;
    const last = task.type === 'test' ? task : lastOf(task);
    if (last) return last;
  }
  return undefined;
}

function suitesOf(test: RunnerTestCase): RunnerTestSuite[] {
  const suites: RunnerTestSuite[] = [];
  for (let suite = test.suite; suite; suite = suite.suite) suites.unshift(suite);
  return suites.includes(test.file) ? suites : [test.file, ...suites];
}

/** Runs a test with its hooks and a mutant. */
async function passes(test: RunnerTestCase, mutant: string | undefined, limit: number | undefined) {
  Object.assign(mutants, { activeMutant: mutant, hitCount: 0, hitLimit: limit });
  const hooks = suitesOf(test).map((suite) => ({ suite, ...TestRunner.getSuiteHooks(suite) }));
  try {
    for (const { suite, beforeEach } of hooks) for (const hook of beforeEach) await hook(test.context, suite);
    await TestRunner.getTestFn(test)();
    Object.assign(mutants, { activeMutant: undefined, hitLimit: undefined });
    for (const { suite, afterEach } of hooks.toReversed())
      for (const hook of afterEach) await hook(test.context, suite);
    return true;
  } catch {
    return false;
  } finally {
    Object.assign(mutants, { activeMutant: undefined, hitLimit: undefined });
  }
}
