import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReviewBatchInput } from '../shared/domain/ai-reviews/model.ts';
import type { TaskId } from '../shared/kernel/ids.ts';
import { asFailure } from './failures.ts';
import { reviewing } from './policies.ts';

/** Number of times a model may ask us to wait for one review; after that the review fails. */
const MAX_WAITS = 20;

export interface ReviewBatchOutcome {
  completed: number;
  failed: number;
  decisions: Record<string, number>;
}

/**
 * Reviews the results of a run, a few at a time. Finished reviews are in the store, so an interruption costs only those in
 * progress. When a model limits its requests, all reviews wait for the time that it asks for.
 */
export async function aiReviewBatch(
  input: ReviewBatchInput & { outcome?: ReviewBatchOutcome },
): Promise<ReviewBatchOutcome> {
  const { project_id, review_run_id, parallel, total, model, history_limit } = input;
  const run = { project_id, review_run_id };
  const outcome = input.outcome ?? { completed: 0, failed: 0, decisions: {} };
  let waiting: { until: number; reason: string } | null = null;
  let page = 0;

  function show(): void {
    const { completed, failed, decisions } = outcome;
    const counts = Object.entries(decisions).map(([decision, count]) => `${count} ${decision}`);
    const lines = [
      `${completed + failed} of ${total} reviewed by ${model}${failed > 0 ? `, ${failed} failed` : ''}.`,
      ...(counts.length > 0 ? [counts.sort().join(', ')] : []),
      ...(waiting ? [`Waiting until ${new Date(waiting.until).toISOString()}: ${waiting.reason}`] : []),
    ];
    setCurrentDetails(lines.join('\n\n'));
  }

  /** The shared wait: the first refused review starts it, and the others join. */
  async function waitFor(seconds: number, reason: string): Promise<void> {
    if (waiting) {
      await condition(() => waiting === null);
      return;
    }
    const length = Math.max(1, seconds) * 1000;
    waiting = { until: Date.now() + length, reason };
    show();
    try {
      await sleep(length, { summary: reason });
    } finally {
      waiting = null;
      show();
    }
  }

  async function reviewOne(task_id: TaskId): Promise<void> {
    for (let waits = 0; ; waits += 1) {
      await condition(() => waiting === null);
      const label = { id: `review ${task_id} ${page} ${waits}`, summary: `review ${task_id}` };
      const answer = await reviewing(label).reviewResult({
        ...run,
        task_id,
        last: waits >= MAX_WAITS,
        waits,
      });
      if (answer.status === 'waiting') {
        await waitFor(answer.seconds, answer.reason);
        continue;
      }
      outcome[answer.status] += 1;
      outcome.decisions[answer.decision] = (outcome.decisions[answer.decision] ?? 0) + 1;
      show();
      return;
    }
  }

  async function reviewAll(task_ids: readonly TaskId[]): Promise<void> {
    const rest = task_ids.values();
    const failures: unknown[] = [];
    const worker = async () => {
      for (const task_id of rest) {
        if (failures.length > 0) return;
        await reviewOne(task_id).catch((thrown) => failures.push(thrown));
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    if (failures.length > 0) throw failures[0];
  }

  const close = (why: string) =>
    CancellationScope.nonCancellable(() =>
      reviewing({ id: 'close', summary: 'end the run of reviews' }).closeReviews({ ...run, why }),
    );

  show();
  try {
    for (; ; page += 1) {
      const label = { id: `open ${page}`, summary: 'which results are left' };
      const { task_ids } = await reviewing(label).openReviews(run);
      if (task_ids.length === 0) break;
      await reviewAll(task_ids);
      const { historyLength, continueAsNewSuggested } = workflowInfo();
      if (historyLength >= history_limit || continueAsNewSuggested) {
        await continueAsNew<typeof aiReviewBatch>({ ...input, outcome });
      }
    }
  } catch (thrown) {
    if (isCancellation(thrown)) await close('The review was cancelled.');
    throw isCancellation(thrown) ? thrown : asFailure(thrown);
  }
  await close('The review was cut off.');
  return outcome;
}
