import { expect, test } from 'vitest';
import {
  byTarget,
  isLeft,
  isMuxCopy,
  judgementOf,
  qualityOf,
  readDay,
  shareUserOf,
} from '../../../../shared/domain/ai-reviews/rules.ts';
import { taskNamed, userNamed } from '../../../support/ids.ts';

test('of a measurement of a whole multiplexer the first qubit holds the original', () => {
  expect(['0', '1', '3', '4'].map((qid) => isMuxCopy({ scope: 'mux' }, qid))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(isMuxCopy({ scope: 'target' }, '1')).toBe(false);
  expect(isMuxCopy(undefined, '1')).toBe(false);
});

test('a day is read with or without dashes; without one the newest results are meant', () => {
  expect([readDay('20260102'), readDay('2026-01-02')]).toEqual(['20260102', '20260102']);
  for (const newest of [null, undefined, '', 'latest']) expect(readDay(newest)).toBeNull();
});

test.each(['20260230', '20261301', '2026012', 'x20260102', '20260102x', 'today'])('%j is no day', (date) => {
  expect(() => readDay(date)).toThrow(
    expect.objectContaining({ code: 'bad_request', message: 'date is a day as YYYYMMDD, or latest.' }),
  );
});

test('a review is left until it completed or failed', () => {
  const statuses = ['requested', 'running', 'completed', 'failed'] as const;
  expect(statuses.filter((status) => isLeft({ status }))).toEqual(['requested', 'running']);
});

test('a run of reviews uses the share of its user, by name if it has no id', () => {
  expect(shareUserOf({ requested_by: 'mia', requested_by_user_id: userNamed('usr_mia') })).toBe('usr_mia');
  expect(shareUserOf({ requested_by: 'mia' })).toBe('mia');
});

test('qubits come by number, then couplings, then task ids decide', () => {
  const review = (qid: string, task = 'a') => ({ qid, task_id: taskNamed(task) });
  const sorted = [review('2'), review('10', 'a'), review('10', 'b'), review('0-1'), review('0-10')];
  for (const mixed of [sorted.toReversed(), [...sorted.slice(2), ...sorted.slice(0, 2)]])
    expect(mixed.toSorted(byTarget)).toEqual(sorted);
});

const at = (minute: number) => new Date(Date.UTC(2026, 0, 2, 0, minute));
const task = taskNamed('a');

test('a label is a judgement if it is one of those about the value', () => {
  expect(judgementOf(task, ' correct ', at(0))).toEqual([
    { task_id: task, kept: true, label: 'CORRECT', at: at(0) },
  ]);
  expect(judgementOf(task, 'NO_SIGNAL', at(0))).toEqual([
    { task_id: task, kept: false, label: 'NO_SIGNAL', at: at(0) },
  ]);
  expect(judgementOf(task, 'nice', at(0))).toEqual([]);
});

const usage = { input_tokens: 1, output_tokens: 1, cost: 0.5, latency: 2, calls: 1 };
const verdict = {
  human_label: 'CORRECT' as const,
  accepted_parameters: [],
  needs_review: [],
  primary_reason: 'Good.',
  closest_knowledge_case: '',
  suggested_labels: [],
  recommended_action: '',
  note: '',
};
const review = (
  name: string,
  decision: 'PASS' | 'PASS_WITH_NOTE' | 'REVIEW' | 'FAIL' = 'PASS',
  fields: Partial<Parameters<typeof qualityOf>[0][number]> = {},
) => ({
  task_id: taskNamed(name),
  task_name: 'CheckT1',
  model: { provider: 'lab', name: 'gpt' },
  verdict: { ...verdict, decision },
  usage,
  completed_at: at(10),
  ...fields,
});
const judged = (name: string, kept: boolean, minute = 20) => ({
  task_id: taskNamed(name),
  kept,
  label: null,
  at: at(minute),
});

test('agreement counts by task and model what people judged after the review', () => {
  const reviews = [
    review('agreed'),
    review('noted', 'PASS_WITH_NOTE'),
    review('missed', 'PASS', { usage: { ...usage, cost: null, latency: 8 } }),
    review('alarm', 'REVIEW', { usage: null }),
    review('bad', 'FAIL', { task_name: 'CheckRabi' }),
    review('open', 'PASS', { completed_at: null }),
    review('failed', 'PASS', { verdict: null }),
    review('unjudged'),
    review('before'),
  ];
  const judgements = [
    judged('agreed', true),
    judged('noted', true, 10),
    judged('missed', false),
    judged('alarm', true),
    judged('bad', false),
    judged('open', true),
    judged('failed', true),
    judged('before', true, 9),
  ];
  expect(qualityOf(reviews, judgements).items).toEqual([
    {
      task_name: 'CheckRabi',
      model: 'lab/gpt',
      reviews: 1,
      agreed: 1,
      missed: 0,
      false_alarms: 0,
      labelled: 0,
      same_label: 0,
      agreement: 1,
      cost: 0.5,
      mean_latency: 2,
    },
    {
      task_name: 'CheckT1',
      model: 'lab/gpt',
      reviews: 4,
      agreed: 2,
      missed: 1,
      false_alarms: 1,
      labelled: 0,
      same_label: 0,
      agreement: 0.5,
      cost: 1,
      mean_latency: 4,
    },
  ]);
});

test('without usage nothing is said of cost and latency', () => {
  const [item] = qualityOf([review('a', 'PASS', { usage: null })], [judged('a', true)]).items;
  expect(item).toMatchObject({ cost: null, mean_latency: null });
});

test('the newest judgement counts, and the newest label beside it', () => {
  const label = (name: 'CORRECT' | 'ANOMALY', minute: number) => ({
    ...judged('a', name === 'CORRECT', minute),
    label: name,
  });
  const of = (...judgements: Parameters<typeof qualityOf>[1]) =>
    qualityOf([review('a')], judgements).items[0];
  expect(of(judged('a', false, 30), label('CORRECT', 20))).toMatchObject({
    missed: 1,
    labelled: 1,
    same_label: 1,
  });
  expect(of(label('ANOMALY', 30), label('CORRECT', 20))).toMatchObject({
    missed: 1,
    labelled: 1,
    same_label: 0,
  });
});
