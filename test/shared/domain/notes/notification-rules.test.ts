import { expect, test } from 'vitest';
import { notificationOf } from '../../../../shared/domain/notes/notification-rules.ts';

const at = new Date('2026-01-02T23:59:59Z');
const noted = {
  chip_id: 'CHIP A',
  scope: 'qubit' as const,
  target_id: '12',
  metric_key: '',
  extra: {} as Record<string, string>,
};

test.each([
  [{}, '/chip?chip_id=CHIP+A&target=12', 'the note on qubit 12 of CHIP A'],
  [{ extra: { kind: 'comment' } }, '/chip?chip_id=CHIP+A&target=12', 'a comment on qubit 12 of CHIP A'],
  [
    { scope: 'coupling' as const, target_id: '0-1' },
    '/chip?chip_id=CHIP+A&target=0-1',
    'the note on coupling 0-1 of CHIP A',
  ],
  [{ scope: 'chip' as const, target_id: 'CHIP A' }, '/chip?chip_id=CHIP+A', 'the note on chip CHIP A'],
  [
    { scope: 'qubit_metric' as const, metric_key: 't1' },
    '/chip?chip_id=CHIP+A&target=12',
    'the note on t1 of 12 of CHIP A',
  ],
  [
    { scope: 'coupling_metric' as const, metric_key: 'zx90', target_id: '0-1' },
    '/chip?chip_id=CHIP+A&target=0-1',
    'the note on zx90 of 0-1 of CHIP A',
  ],
  [
    { scope: 'task_result' as const, target_id: 'a/b', extra: { task_name: 'CheckT1', qid: '12' } },
    '/task-results/a%2Fb',
    'the note on CheckT1 of 12',
  ],
  [
    { scope: 'task_result' as const, target_id: 'a', extra: { task_name: 'CheckT1', qid: '' } },
    '/task-results/a',
    'the note on CheckT1 of CHIP A',
  ],
])('a notification names what was written on and links to it: %j', (fields, target_url, where) => {
  expect(notificationOf({ ...noted, ...fields }, at)).toMatchObject({ target_url, where });
});

test('a note notifies once a day, a comment once', () => {
  const keyOf = (fields: Partial<typeof noted>, time = at) =>
    notificationOf({ ...noted, ...fields }, time).key;
  expect(keyOf({})).toBe('CHIP A/qubit/12///2026-01-02');
  expect(keyOf({ metric_key: 't1', extra: { scope_key: 'c1' } })).toBe('CHIP A/qubit/12/t1/c1/2026-01-02');
  expect(keyOf({}, new Date('2026-01-03T00:00:00Z'))).not.toBe(keyOf({}));
  expect(keyOf({ extra: { comment_id: 'cmt_1' } })).toBe('cmt_1');
});
