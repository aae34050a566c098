import { expect, test } from 'vitest';
import type { MeasureAndRecordInput } from '../../activities/contracts/steps.ts';
import { withRoom } from '../../activities/measure-and-record.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { runOf } from '../support/laboratory.ts';

const done = { completed: 1, failed: 0, skipped: 0, passed: ['1'], index: 1, next: null };
const input: MeasureAndRecordInput = {
  run: { ...runOf({ projectId: 'p', chipId: 'c' }, '20260102-000'), epoch: 1 },
  ...{ stage: 0, targets: ['1'], index: 0 },
  ...{ task_id: newId(), attempt: 1, again: false },
};

test('a queue that serves others, too, has room for so many tasks at once, and nothing is begun of more', async () => {
  const ends: (() => void)[] = [];
  const carryOut = withRoom(async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return { recorded: done };
  }, 2);
  const [first, second] = [carryOut(input), carryOut(input)];
  expect(await carryOut(input)).toEqual({ full: true });
  expect(ends).toHaveLength(2);
  ends[0]?.();
  expect(await first).toEqual({ recorded: done });
  const third = carryOut(input);
  for (const end of ends) end();
  expect(await Promise.all([second, third])).toEqual([{ recorded: done }, { recorded: done }]);
});

test('a task that fails leaves its room to the next', async () => {
  const failing = withRoom(() => Promise.reject(new Error('It stops.')), 1);
  await expect(failing(input)).rejects.toThrow('It stops.');
  await expect(failing(input)).rejects.toThrow('It stops.');
});
