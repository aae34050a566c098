import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEvidence } from '../../../../shared/domain/ai-reviews/evidence.ts';
import { bulkReview } from '../../../../shared/domain/ai-reviews/model.ts';
import { createRequesting } from '../../../../shared/domain/ai-reviews/requesting.ts';
import { createReviewing } from '../../../../shared/domain/ai-reviews/reviewing.ts';
import { createAiReviewStore } from '../../../../shared/domain/ai-reviews/store.ts';
import { reviewWorkflowId } from '../../../../shared/domain/ai-reviews/workflow-model.ts';
import type { AiReviewState, TaskResultDocument } from '../../../../shared/domain/results/model.ts';
import { NO_TASK, type ProjectId, type TaskId } from '../../../../shared/kernel/ids.ts';
import { createLog } from '../../../../shared/kernel/log.ts';
import { workflowBundle } from '../../../../workers/bundle.ts';
import { historyOf, replay } from '../../../support/histories.ts';
import { executionNamed, userNamed } from '../../../support/ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  type OwnProcess,
  openLaboratory,
} from '../../../support/laboratory.ts';
import { startModelServer } from '../../../support/model-server.ts';
import { storedTask } from '../../../support/stored-results.ts';

let lab: Laboratory;
let models: Awaited<ReturnType<typeof startModelServer>>;
let worker: OwnProcess;
const measurer = { id: userNamed('usr_ada'), username: 'ada' };
const ada = { user_id: userNamed('usr_ada'), username: 'ada' };
const execution_id = '20260102-000';
const verdict = {
  decision: 'PASS',
  human_label: 'CORRECT',
  accepted_parameters: ['t1'],
  needs_review: [],
  primary_reason: 'The decay is clear.',
  suggested_labels: [],
  recommended_action: 'None.',
};
const passes = { text: JSON.stringify(verdict) };

beforeAll(async () => {
  models = await startModelServer();
  lab = await openLaboratory({ AI_ENDPOINTS: models.url });
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  await writeFile(
    join(lab.settings.CONFIG_PATH, 'copilot.yaml'),
    `analysis:
  model: { provider: openai, name: vision-1, base_url: "${models.url}" }
  ai_review_tasks: [CheckT1]
  review_after_runs: true
  parallel_reviews: 3
`,
  );
  worker = await lab.startWorker({ WORKER_QUEUES: 'calibration' });
});

afterAll(async () => {
  await models.close();
  await lab.close();
});

beforeEach(() => {
  models.asked.length = 0;
  models.always(passes);
});

/** A chip with a finished T1 measurement of each of its first qubits. */
async function measuredChip(count: number): Promise<LabChip> {
  const place = await lab.newProject({ blank: true });
  const files = { figure_path: [], json_figure_path: [], raw_data_path: [] };
  await lab.database.db
    .collection<TaskResultDocument>('task_results')
    .insertMany(
      Array.from({ length: count }, (_, qid) =>
        storedTask(place.projectId, measurer, { qid: String(qid), ...files }),
      ),
    );
  return place;
}

const died = () => Promise.reject(new Error('the process died'));
/** Someone who asks for reviews, in a process that may die. */
const requesting = (changes: Partial<Parameters<typeof createRequesting>[0]>) =>
  createRequesting({
    ...lab,
    ...lab.areas,
    store: createAiReviewStore(lab.database.db),
    close: died,
    ...changes,
  });
const bulk = ({ chipId }: LabChip) => bulkReview.parse({ chip_id: chipId, task: 'CheckT1' });
const runOf = ({ projectId, chipId }: LabChip) => ({
  project_id: projectId,
  execution_id: executionNamed(execution_id),
  chip_id: chipId,
  ...ada,
});
const later = () => new Date(Date.now() + 3_600_000);

/** Every run of a project once all have ended, the newest first, with what its results say. */
async function allEnded({ projectId }: LabChip) {
  const runs = await eventually(async () => {
    const { items } = await lab.areas.aiReviews.listRuns(projectId, {}, { skip: 0, limit: 10 });
    return items.every(({ completed_at }) => completed_at !== null) && items;
  });
  const results = await lab.areas.results.endedOf(projectId, executionNamed(execution_id), 'CheckT1');
  return { runs, states: results.map(({ ai_review }) => ai_review) };
}

/** Results of a process that dies when it has claimed some. */
function dyingAfterClaims(most: number) {
  const { claimReview } = lab.areas.results;
  let claims = 0;
  return {
    ...lab.areas.results,
    claimReview: (projectId: ProjectId, taskId: TaskId, state: AiReviewState) => {
      claims += 1;
      return claims > most ? died() : claimReview(projectId, taskId, state);
    },
  };
}

const statusesOf = async ({ projectId }: LabChip) =>
  (await lab.areas.results.endedOf(projectId, executionNamed(execution_id), 'CheckT1'))
    .map(({ ai_review }) => ai_review?.status ?? '')
    .sort();

test('who dies between two claims, or before the first, has asked all the same: the reviews are made', async () => {
  for (const claims of [2, 0]) {
    const place = await measuredChip(4);
    const dying = dyingAfterClaims(claims);
    await expect(requesting({ results: dying }).bulk(place.projectId, ada, bulk(place))).rejects.toThrow();
    const claimed = Array.from({ length: claims }, () => 'requested');
    expect((await statusesOf(place)).filter((status) => status !== '')).toEqual(claimed);

    // Somebody else looks at one of those that are left meanwhile; it is no part of the run then.
    models.always('silent');
    const [left] = (
      await lab.areas.results.endedOf(place.projectId, executionNamed(execution_id), 'CheckT1')
    ).filter(({ ai_review }) => !ai_review);
    const other = await lab.areas.aiReviews.bulk(place.projectId, ada, {
      ...bulk(place),
      task_ids: [left?.task_id ?? NO_TASK],
    });
    expect(other.requested_count).toBe(1);

    await lab.areas.aiReviews.reconcile(later());
    models.always(passes);
    await lab.engine.client.workflow.getHandle(reviewWorkflowId(other.review_run_id)).cancel();
    const { runs } = await allEnded(place);
    expect(runs.map(({ total }) => total)).toEqual([1, 3]);
    expect(runs[1]).toMatchObject({ completed_count: 3 });
  }
});

test('a run that goes on after a death leaves alone what was reviewed meanwhile', async () => {
  const goingOn = [
    () => lab.areas.aiReviews.reconcile(later()),
    (place: LabChip) => lab.areas.aiReviews.afterRun(runOf(place)),
  ];
  for (const goOn of goingOn) {
    const place = await measuredChip(3);
    const dying = requesting({ results: dyingAfterClaims(1) });
    await expect(dying.afterRun(runOf(place))).rejects.toThrow();
    const other = await lab.areas.aiReviews.bulk(place.projectId, ada, bulk(place));
    expect(other.requested_count).toBe(2);
    await lab.engine.client.workflow.getHandle(reviewWorkflowId(other.review_run_id)).result();
    await goOn(place);
    const { runs, states } = await allEnded(place);
    expect(runs).toMatchObject([{ completed_count: 2 }, { total: 1, completed_count: 1 }]);
    expect(states.filter((state) => state?.review_run_id === other.review_run_id)).toHaveLength(2);
  }
  expect(models.asked).toHaveLength(6);
});

test('a run that cannot be gone on with holds up none of the others', async () => {
  const [damaged, ...whole] = await Promise.all([measuredChip(1), measuredChip(1), measuredChip(1)]);
  for (const place of [damaged, ...whole]) {
    const dying = requesting({ results: dyingAfterClaims(0) });
    await expect(dying.bulk(place.projectId, ada, bulk(place))).rejects.toThrow();
  }
  const runs = lab.database.db.collection('ai_review_runs');
  await runs.updateOne({ project_id: damaged.projectId }, { $unset: { model: 1 } });
  await lab.areas.aiReviews.reconcile(later());
  for (const place of whole) expect((await allEnded(place)).runs).toMatchObject([{ completed_count: 1 }]);
  await runs.deleteOne({ project_id: damaged.projectId });
});

test('a caller that is overtaken by another one undoes nothing, and answers as if it had started the reviews', async () => {
  const { claimReview } = lab.areas.results;
  for (const fails of [false, true]) {
    const place = await measuredChip(1);
    const slow = requesting({
      close: lab.areas.aiReviews.close,
      results: {
        ...lab.areas.results,
        async claimReview(...args) {
          const isClaimed = await claimReview(...args);
          models.always('silent');
          await lab.areas.aiReviews.reconcile(later());
          return fails ? died() : isClaimed;
        },
      },
    });
    const asking = slow.bulk(place.projectId, ada, bulk(place));
    if (fails) await expect(asking).rejects.toThrow('the process died');
    else expect((await asking).requested_count).toBe(1);
    const { items } = await lab.areas.aiReviews.listRuns(place.projectId, {}, { skip: 0, limit: 10 });
    expect(items).toMatchObject([{ total: 1, failed_count: 0, completed_at: null }]);
    await lab.engine.client.workflow.getHandle(reviewWorkflowId(items[0]?.review_run_id ?? '')).cancel();
    await allEnded(place);
  }
});

test('who cannot begin a run ends it', async () => {
  const place = await measuredChip(2);
  const failing = requesting({ close: lab.areas.aiReviews.close, results: dyingAfterClaims(1) });
  await expect(failing.bulk(place.projectId, ada, bulk(place))).rejects.toThrow('the process died');
  expect((await allEnded(place)).runs).toMatchObject([{ total: 1, failed_count: 1 }]);
});

test('reviews that were switched off after a death are not made', async () => {
  const settings = await lab.areas.languageModels.config();
  const { analysis } = settings;
  const switchedOff: Partial<typeof settings>[] = [
    { enabled: false },
    { analysis: { ...analysis, enabled: false } },
    { analysis: { ...analysis, ai_review_tasks: [] } },
    { analysis: { ...analysis, review_after_runs: false } },
  ];
  for (const change of switchedOff) {
    const place = await measuredChip(2);
    const dying = requesting({ results: dyingAfterClaims(1) });
    await expect(dying.afterRun(runOf(place))).rejects.toThrow();
    const { items } = await lab.areas.aiReviews.listRuns(place.projectId, {}, { skip: 0, limit: 10 });
    await requesting({
      close: lab.areas.aiReviews.close,
      languageModels: { ...lab.areas.languageModels, config: async () => ({ ...settings, ...change }) },
    }).resume(place.projectId, items[0]?.review_run_id ?? '');
    const { runs, states } = await allEnded(place);
    expect(runs).toMatchObject([{ total: 1, failed_count: 1 }]);
    expect(states.map((state) => state?.error ?? '').join('')).toMatch(/switched off/);
  }
  expect(models.asked).toEqual([]);
});

test('a run that did not start for a day ends: the reviews that it had claimed fail, the others do not belong to it', async () => {
  const place = await measuredChip(4);
  const dying = dyingAfterClaims(2);
  await expect(requesting({ results: dying }).bulk(place.projectId, ada, bulk(place))).rejects.toThrow();
  await lab.areas.aiReviews.reconcile(new Date(Date.now() + 25 * 3_600_000));
  const { runs } = await allEnded(place);
  expect(runs).toMatchObject([{ total: 2, failed_count: 2, requested_count: 0, running_count: 0 }]);
  expect(await statusesOf(place)).toEqual(['', '', 'failed', 'failed']);
  expect(models.asked).toEqual([]);
  const again = await lab.areas.aiReviews.bulk(place.projectId, ada, bulk(place));
  expect(again.requested_count).toBe(4);
  expect((await allEnded(place)).runs[0]).toMatchObject({ completed_count: 4 });
});

test('a run whose workflow was terminated does not begin again', async () => {
  const place = await measuredChip(2);
  models.always('silent');
  const { review_run_id } = await lab.areas.aiReviews.bulk(place.projectId, ada, bulk(place));
  await lab.engine.client.workflow.getHandle(reviewWorkflowId(review_run_id)).terminate('by a test');
  models.always(passes);
  await lab.areas.aiReviews.reconcile(later());
  expect((await allEnded(place)).runs).toMatchObject([{ total: 2, completed_count: 0, failed_count: 2 }]);
});

test('who asks again for the reviews of a run after a death goes on with the same ones', async () => {
  const place = await measuredChip(3);
  const dying = dyingAfterClaims(1);
  await expect(requesting({ results: dying }).afterRun(runOf(place))).rejects.toThrow();
  await lab.areas.aiReviews.afterRun(runOf(place));
  const { runs, states } = await allEnded(place);
  expect(runs).toMatchObject([{ total: 3, completed_count: 3, trigger_type: 'execution' }]);
  // A third attempt finds that all is done.
  await lab.areas.aiReviews.afterRun(runOf(place));
  expect((await allEnded(place)).states).toEqual(states);
  expect(models.asked).toHaveLength(3);
});

test('results that another review has are no part of a run, and a run of no result is none', async () => {
  const place = await measuredChip(2);
  models.always('silent');
  const first = await lab.areas.aiReviews.bulk(place.projectId, ada, bulk(place));
  expect(first.requested_count).toBe(2);
  const second = await lab.areas.aiReviews.bulk(place.projectId, ada, bulk(place));
  expect(second).toMatchObject({ review_run_id: '', requested_count: 0 });
  await lab.areas.aiReviews.afterRun(runOf(place));
  const { items, total } = await lab.areas.aiReviews.listRuns(place.projectId, {}, { skip: 0, limit: 10 });
  expect([items.map(({ review_run_id }) => review_run_id), total]).toEqual([[first.review_run_id], 1]);
  await lab.engine.client.workflow.getHandle(reviewWorkflowId(first.review_run_id)).cancel();
  expect((await allEnded(place)).states.map((state) => state?.status)).toEqual(['failed', 'failed']);
});

test('a death between the end of a review and the word of it to its result is made up for', async () => {
  const place = await measuredChip(2);
  const store = createAiReviewStore(lab.database.db);
  const [first, second] = await lab.areas.results.endedOf(
    place.projectId,
    executionNamed(execution_id),
    'CheckT1',
  );
  if (!first || !second) throw new Error('no results');
  models.always('silent');
  const { review_run_id } = await lab.areas.aiReviews.bulk(place.projectId, ada, bulk(place));
  await lab.engine.client.workflow.getHandle(reviewWorkflowId(review_run_id)).terminate('by a test');
  models.always(passes);
  const dying = createReviewing({
    store,
    results: { ...lab.areas.results, endReview: died },
    evidence: createEvidence(lab.areas),
    languageModels: lab.areas.languageModels,
    log: createLog('test', 'SILENT'),
  });
  const of = (task_id: TaskId) => ({ project_id: place.projectId, review_run_id, task_id });
  for (const { task_id } of [first, second])
    await expect(dying.review(of(task_id), { last: false })).rejects.toThrow();
  const asked = models.asked.length;
  const statusOf = async ({ task_id }: TaskResultDocument) =>
    (await lab.areas.results.get(place.projectId, task_id))?.ai_review?.status;
  expect([await statusOf(first), await statusOf(second)]).toEqual(['running', 'running']);

  // The engine repeats the activity, or the run is closed.
  await lab.areas.aiReviews.review(of(first.task_id), { last: false });
  expect([await statusOf(first), await statusOf(second)]).toEqual(['completed', 'running']);
  await lab.areas.aiReviews.reconcile(later());
  expect([await statusOf(first), await statusOf(second)]).toEqual(['completed', 'completed']);
  expect(models.asked).toHaveLength(asked);

  // What a person decided afterwards stays.
  const by = { user_id: userNamed('usr_ada'), username: 'ada' };
  const change = { $set: { 'ai_review.held_back': true } };
  await lab.database.db.collection('task_results').updateOne({ task_id: first.task_id }, change);
  await lab.areas.results.exclude(place.projectId, first.task_id, { excluded: false, reason: '' }, by);
  await lab.areas.aiReviews.review(of(first.task_id), { last: false });
  const kept = await lab.areas.results.get(place.projectId, first.task_id);
  expect(kept?.ai_review?.held_back).toBe(false);
});

test('a worker that is killed in mid-review costs no review: another one goes on, and nothing stays open', async () => {
  const place = await measuredChip(5);
  models.always('silent');
  const { review_run_id } = await lab.areas.aiReviews.bulk(place.projectId, ada, bulk(place));
  await eventually(async () => models.asked.length >= 3);
  await worker.kill();
  models.always(passes);
  worker = await lab.startWorker({ WORKER_QUEUES: 'calibration' });
  const { runs, states } = await allEnded(place);
  expect(runs).toMatchObject([{ review_run_id, total: 5, completed_count: 5, running_count: 0 }]);
  expect(states.map((state) => state?.status)).toEqual(Array.from({ length: 5 }, () => 'completed'));
});

test('a long batch continues as new and keeps its counts', async () => {
  const place = await measuredChip(4);
  const { bulk: ask } = requesting({ historyLimit: 10, close: lab.areas.aiReviews.close });
  const { review_run_id } = await ask(place.projectId, ada, bulk(place));
  const workflowId = reviewWorkflowId(review_run_id);
  const handle = lab.engine.client.workflow.getHandle(workflowId);
  expect(await handle.result()).toEqual({ completed: 4, failed: 0, decisions: { PASS: 4 } });
  expect((await allEnded(place)).runs).toMatchObject([{ completed_count: 4 }]);
  const last = await historyOf(lab, 'ai-review-continued-1', workflowId);
  const [started] = last[0]?.history.events ?? [];
  const before = started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  expect(before).not.toBe('');
  const first = await historyOf(lab, 'ai-review-continued-0', workflowId, before);
  expect(await replay({ codePath: await workflowBundle(lab.cache) }, [...first, ...last])).toEqual([]);
});
