import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KnowledgeCaseDocument } from '../../../../shared/domain/knowledge-cases/model.ts';
import { keyOf } from '../../../../shared/kernel/ids.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { blankCase } from '../../../support/blank-case.ts';
import { projectNamed, taskNamed } from '../../../support/ids.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
beforeAll(async () => {
  own = await openOwnAreas();
});
afterAll(() => own.close());

test('as many cases of a task are counted as are shown, the newest 200', async () => {
  const project = projectNamed(newId());
  const caseOf = (index: number): KnowledgeCaseDocument => ({
    _id: keyOf(project, index, 1),
    project_id: project,
    number: 1,
    case_id: String(index).padStart(24, '0'),
    issue_id: String(index),
    task_id: taskNamed('T1'),
    task_name: 'CheckT1',
    chip_id: 'CHIP',
    qid: '3',
    figure_paths: [],
    thread_image_urls: [],
    title: `Case ${index}`,
    severity: 'info',
    human_label: '',
    ...blankCase,
    status: 'approved',
    date: '2026-01-01',
    reviewed_by_user_id: null,
    reviewed_by: null,
    reviewed_at: null,
    pr_url: null,
    created_at: new Date(Date.UTC(2026, 0, 1) + index * 1000),
    updated_at: new Date(Date.UTC(2026, 0, 1)),
  });
  await own.kernel.db
    .collection<KnowledgeCaseDocument>('knowledge_cases')
    .insertMany(Array.from({ length: 203 }, (_, index) => caseOf(index)));
  const { taskKnowledge } = own.areas;
  const ownPages = (await taskKnowledge.read('CheckT1')).cases.length;
  const { cases } = await taskKnowledge.read('CheckT1', project);
  expect(cases).toHaveLength(ownPages + 200);
  expect(cases[ownPages]?.title).toBe('Case 202');
  const { items } = await taskKnowledge.list(project);
  expect(items.find(({ name }) => name === 'CheckT1')?.case_count).toBe(cases.length);
});
