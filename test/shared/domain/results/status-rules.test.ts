import { expect, test } from 'vitest';
import {
  endOfOpenTask,
  isTaskEnd,
  openTaskStatuses,
  taskEnds,
  taskStatuses,
} from '../../../../shared/domain/results/status-rules.ts';

test('a task is either open or ended', () => {
  expect(taskStatuses.filter(isTaskEnd).toSorted()).toEqual([...taskEnds].toSorted());
  expect(taskStatuses.filter((status) => !isTaskEnd(status)).toSorted()).toEqual(
    [...openTaskStatuses].toSorted(),
  );
});

test('an open task ends cancelled with a cancelled execution, otherwise failed', () => {
  expect(endOfOpenTask('cancelled')).toEqual({
    status: 'cancelled',
    message: 'The run was cancelled while this task was open.',
  });
  for (const status of ['completed', 'failed'] as const)
    expect(endOfOpenTask(status)).toEqual({
      status: 'failed',
      message: 'The run ended while this task was open.',
    });
});
