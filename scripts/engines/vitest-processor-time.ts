import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { processorSeconds } from './processor-time.ts';

/**
 * Appends a line of JSON for each test file to the file named by CALIBRON_TEST_CPU: its processor time in seconds,
 * including all processes that it started and the engines of the test run. The first file includes their startup.
 */
export default class ProcessorTimeReporter implements Reporter {
  #before = 0;

  onTestModuleEnd(module: TestModule): void {
    const path = process.env.CALIBRON_TEST_CPU;
    if (path === undefined) return;
    const now = processorSeconds(process.pid);
    const seconds = Math.round((now - this.#before) * 100) / 100;
    this.#before = now;
    appendFileSync(path, `${JSON.stringify({ file: module.relativeModuleId, seconds })}\n`);
  }
}
