import { expect, test } from 'vitest';
import { insightsOf } from '../../../../shared/domain/metrics/insight-rules.ts';
import { taskNamed } from '../../../support/ids.ts';

const result = (name: string, qid: string, status: 'completed' | 'failed' | 'running', message = '') => ({
  task_id: taskNamed(`${name}-${qid}`),
  name,
  qid,
  status,
  message,
  output_parameters: {},
});

test('trouble that several targets share is listed, the critical and the widest first', () => {
  const { summary, insights, suppressed_pass_count } = insightsOf([
    result('CheckT1', '10', 'failed', 'No decay.'),
    result('CheckT1', '9', 'failed', 'No decay.'),
    result('CheckT1', '2', 'failed', 'Out of range.'),
    result('CheckT1', '3', 'completed'),
    result('CheckRabi', '1', 'failed'),
    result('CheckRabi', '2', 'running'),
    result('CheckQubitSpectroscopy', '0', 'failed'),
    result('CheckQubitSpectroscopy', '3', 'completed'),
    result('CheckQubitSpectroscopy', '4', 'failed'),
  ]);
  expect(insights.map(({ kind, title }) => [kind, title])).toEqual([
    ['missing_f01', 'No transition found on 2 qubits of multiplexer 0'],
    ['repeated_failure', 'CheckT1 failed on 3 targets'],
    ['repeated_failure', 'CheckQubitSpectroscopy failed on 2 targets'],
  ]);
  expect(insights[1]).toMatchObject({
    severity: 'warning',
    detail: 'No decay.',
    qids: ['2', '9', '10'],
    task_ids: ['CheckT1-2', 'CheckT1-9', 'CheckT1-10'],
  });
  expect(suppressed_pass_count).toBe(2);
  expect(summary).toBe('3 findings need attention, 1 of them critical; 2 results are fine.');
});

test('at most five are listed, and none for a chip without trouble', () => {
  const many = ['A', 'B', 'C', 'D', 'E', 'F'].flatMap((name) => [
    result(name, '0', 'failed'),
    result(name, '1', 'failed'),
  ]);
  expect(insightsOf(many).insights).toHaveLength(5);
  expect(insightsOf([result('A', '0', 'completed')])).toEqual({
    summary: 'Nothing needs attention; 1 result is fine.',
    insights: [],
    suppressed_pass_count: 1,
  });
});
