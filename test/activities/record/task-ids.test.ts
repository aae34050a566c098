import { expect, test } from 'vitest';
import { passIdAt, taskIdAt } from '../../../activities/record/task-ids.ts';

const place = {
  run: { flow_run_id: '5c1fca03-2f9d-4f0f-9a53-0a51d4f7b7c5' },
  stage: 2,
  targets: ['0', '1'],
  index: 3,
};

test('an id follows from the place of a task in its run, as a UUID of version 5', () => {
  expect(taskIdAt(place)).toBe(taskIdAt({ ...place }));
  expect(taskIdAt(place)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('runs, stages, targets, positions and passes differ in their ids', () => {
  const others = [
    place,
    { ...place, run: { flow_run_id: '5c1fca03-2f9d-4f0f-9a53-0a51d4f7b7c6' } },
    { ...place, stage: 23, index: 0 },
    { ...place, stage: 3 },
    { ...place, index: 4 },
    { ...place, targets: ['0'] },
    { ...place, targets: ['01'] },
    { ...place, targets: ['1', '0'] },
  ];
  const ids = others.flatMap((each) => [taskIdAt(each), passIdAt(each, 2), passIdAt(each, 22)]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the first pass has the id of its task', () => {
  expect(passIdAt(place, 1)).toBe(taskIdAt(place));
});
