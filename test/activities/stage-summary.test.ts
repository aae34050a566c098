import { expect, test } from 'vitest';
import { summaryOf } from '../../activities/stage-summary.ts';
import type { StageRow } from '../../shared/domain/results/index.ts';
import { measuredOutput } from '../support/stored-results.ts';

const TASKS = 40;
const TARGETS = 5000;
/** Maximum bytes of a summary; its document has 4 MiB of plan besides, and at most 16 MiB. */
const SUMMARY_LIMIT = 10 * 1024 * 1024;

const task = { name: 'CheckT1', scope: 'target' as const, run_parameters: {}, input_overrides: {} };
const plan = {
  tasks: Array.from({ length: TASKS }, () => task),
  targets: Array.from({ length: TARGETS }, (_, qid) => String(qid)),
};

async function* rowsOf(row: (qid: string, index: number) => Partial<StageRow>): AsyncGenerator<StageRow> {
  for (const qid of plan.targets) {
    for (let index = 0; index < TASKS; index += 1) {
      yield {
        qid,
        name: task.name,
        status: 'completed',
        message: '',
        index,
        cooldown_id: null,
        output_parameters: {},
        ...row(qid, index),
      };
    }
  }
}

test('the summary of a stage with 200,000 failed tasks fits into its document, and counts all of them', async () => {
  const message = `Its fit was refused: R² was 0.1. ${'Details. '.repeat(40)}`;
  const { summary, cause } = await summaryOf(
    plan,
    rowsOf(() => ({ status: 'failed', message, goes_on: true })),
  );
  expect(summary.counts).toMatchObject({ failed: 200_000, total: 200_000 });
  expect(summary.yields?.[0]).toMatchObject({ failed: TARGETS, yield: 0 });
  expect(cause).toMatchObject({ count: 200_000, message: expect.stringMatching(/^CheckT1: Its fit was/) });
  expect(summary.failed.length).toBeGreaterThan(1000);
  expect(summary.failed[0]).toEqual({ target: '0', task: 'CheckT1', message });
  expect(JSON.stringify(summary).length).toBeLessThan(SUMMARY_LIMIT);
});

test('the summary of a stage with more values than fit says that it is incomplete', async () => {
  const name = 'a_rather_long_name_of_a_parameter';
  const { summary, cause } = await summaryOf(
    plan,
    rowsOf((_, index) => ({
      output_parameters: {
        [`${name}_${index}`]: measuredOutput(`${name}_${index}`, 0.123456789),
      },
    })),
  );
  expect(summary.metrics_truncated).toBe(true);
  expect(summary.counts.completed).toBe(200_000);
  expect(summary.passed).toHaveLength(TARGETS);
  expect(cause).toBeNull();
  expect(JSON.stringify(summary).length).toBeLessThan(SUMMARY_LIMIT);
});
