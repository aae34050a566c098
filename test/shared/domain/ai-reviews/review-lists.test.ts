import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AiReviewDocument, Verdict } from '../../../../shared/domain/ai-reviews/model.ts';
import { createAiReviewStore } from '../../../../shared/domain/ai-reviews/store.ts';
import { keyOf, type ProjectId, type TaskId } from '../../../../shared/kernel/ids.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { blankCase } from '../../../support/blank-case.ts';
import { executionNamed, projectNamed, taskNamed, userNamed } from '../../../support/ids.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
beforeAll(async () => {
  own = await openOwnAreas();
});
afterAll(() => own.close());

const noon = Date.parse('2026-01-02T12:00:00Z');
const minutes = (count: number) => new Date(noon + count * 60_000);
const model = { provider: 'openai', name: 'vision-1' };
const ada = { user_id: userNamed('usr_ada'), username: 'ada' };

/** Stores a completed review of a result of CheckT1 in a run of its own. */
async function reviewed(
  project_id: ProjectId,
  { task_id, label, start, at }: { task_id: TaskId; label: Verdict['human_label']; start: Date; at: Date },
): Promise<string> {
  const review_run_id = `airv_${newId()}`;
  const passed = label === 'CORRECT';
  const review: AiReviewDocument = {
    _id: keyOf(project_id, review_run_id, task_id),
    project_id,
    review_run_id,
    task_id,
    task_name: 'CheckT1',
    chip_id: 'CHIP',
    qid: '0',
    execution_id: executionNamed('20260102-000'),
    task_status: 'completed',
    start_at: start,
    figure_path: [],
    json_figure_path: [],
    status: 'completed',
    decision: passed ? 'PASS' : 'FAIL',
    verdict: {
      decision: passed ? 'PASS' : 'FAIL',
      human_label: label,
      accepted_parameters: [],
      needs_review: [],
      primary_reason: 'As seen.',
      closest_knowledge_case: '',
      suggested_labels: [],
      recommended_action: 'None.',
      note: '',
    },
    markdown: '',
    model,
    prompt_hash: '',
    knowledge_version: '',
    usage: null,
    held_back: false,
    error: '',
    requested_by: 'ada',
    requested_at: at,
    completed_at: at,
  };
  const run = {
    _id: userNamed(keyOf(project_id, review_run_id)),
    project_id,
    review_run_id,
    trigger_type: 'manual_chip_bulk' as const,
    chip_id: 'CHIP',
    task_name: 'CheckT1',
    entity_type: 'qubit' as const,
    requested_by: 'ada',
    requested_at: at,
    completed_at: null,
    open: true as const,
    model,
    model_override: null,
  };
  const store = createAiReviewStore(own.kernel.db);
  expect(await store.add(run, [review])).toEqual(run);
  await store.endRun(project_id, review_run_id, at);
  return review_run_id;
}

/** A knowledge case of a result, approved now. */
async function approvedCase(project_id: ProjectId, task_id: TaskId, human_label: string): Promise<void> {
  const { knowledgeCases } = own.areas;
  const { id } = await knowledgeCases.putDraft(project_id, {
    issue_id: newId(),
    task_id,
    task_name: 'CheckT1',
    chip_id: 'CHIP',
    qid: '0',
    figure_paths: [],
    thread_image_urls: [],
    title: 'A case',
    severity: 'warning',
    human_label,
    ...blankCase,
  });
  await knowledgeCases.approve(project_id, id, ada);
}

test('only the newest review of the newest result of a target is listed, also when an older result is reviewed later', async () => {
  const project = projectNamed(newId());
  await reviewed(project, {
    task_id: taskNamed('new'),
    label: 'CORRECT',
    start: minutes(10),
    at: minutes(20),
  });
  const newest = await reviewed(project, {
    task_id: taskNamed('new'),
    label: 'ANOMALY',
    start: minutes(10),
    at: minutes(30),
  });
  await reviewed(project, {
    task_id: taskNamed('old'),
    label: 'CORRECT',
    start: minutes(0),
    at: minutes(40),
  });
  const page = { latestOnly: true, skip: 0, limit: 10 };
  for (const filter of [{}, { chip_id: 'CHIP' }, { task_name: 'CheckT1' }]) {
    const { items, total } = await own.areas.aiReviews.list(project, filter, page);
    expect([items.map(({ review_run_id }) => review_run_id), total]).toEqual([[newest], 1]);
  }
  const passed = await own.areas.aiReviews.list(project, { decision: 'PASS' }, page);
  expect(passed.items).toEqual([]);
});

test('reviews are measured by the labels of approved cases', async () => {
  const project = projectNamed(newId());
  const long = { start: minutes(0), at: minutes(1) };
  await reviewed(project, { task_id: taskNamed('agreed'), label: 'CORRECT', ...long });
  await reviewed(project, { task_id: taskNamed('missed'), label: 'CORRECT', ...long });
  await reviewed(project, { task_id: taskNamed('alarm'), label: 'NO_SIGNAL', ...long });
  await reviewed(project, { task_id: taskNamed('renamed'), label: 'ANOMALY', ...long });
  await reviewed(project, { task_id: taskNamed('unlabelled'), label: 'CORRECT', ...long });
  // A review that came after the case says nothing about how well it foresaw it.
  await reviewed(project, {
    task_id: taskNamed('late'),
    label: 'ANOMALY',
    start: minutes(0),
    at: new Date(Date.now() + 3_600_000),
  });
  await approvedCase(project, taskNamed('agreed'), 'CORRECT');
  await approvedCase(project, taskNamed('missed'), 'SUSPICIOUS');
  await approvedCase(project, taskNamed('alarm'), 'CORRECT');
  await approvedCase(project, taskNamed('renamed'), 'MISASSIGNMENT');
  await approvedCase(project, taskNamed('unlabelled'), '');
  await approvedCase(project, taskNamed('late'), 'CORRECT');
  const { items } = await own.areas.aiReviews.quality(project);
  expect(items).toMatchObject([
    {
      task_name: 'CheckT1',
      model: 'openai/vision-1',
      reviews: 4,
      agreed: 2,
      missed: 1,
      false_alarms: 1,
      labelled: 4,
      same_label: 1,
      agreement: 0.5,
    },
  ]);
  expect((await own.areas.aiReviews.quality(projectNamed(newId()))).items).toEqual([]);
});

test('cases of drafts and of other projects are no judgement', async () => {
  const [project, other] = [newId(), newId()];
  await reviewed(projectNamed(project), {
    task_id: taskNamed('a'),
    label: 'CORRECT',
    start: minutes(0),
    at: minutes(1),
  });
  await approvedCase(projectNamed(other), taskNamed('a'), 'ANOMALY');
  expect((await own.areas.aiReviews.quality(projectNamed(project))).items).toEqual([]);
});
