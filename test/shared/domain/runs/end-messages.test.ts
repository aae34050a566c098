import { expect, test } from 'vitest';
import { noCounts } from '../../../../shared/domain/results/count-rules.ts';
import { endOfClosedWorkflow, endOfStoppedRun } from '../../../../shared/domain/runs/end-rules.ts';

test.each([
  ['CANCELLED', 'cancelled', 'The run was cancelled.', undefined],
  ['TERMINATED', 'cancelled', 'The run was terminated in the workflow engine.', true],
  ['TIMED_OUT', 'failed', 'The run exceeded its time limit in the workflow engine.', true],
  ['COMPLETED', 'failed', 'The run ended in the workflow engine without being closed.', undefined],
  ['FAILED', 'failed', 'The run ended in the workflow engine without being closed.', undefined],
  ['CONTINUED_AS_NEW', 'failed', 'The run ended in the workflow engine without being closed.', undefined],
] as const)('a run whose workflow is %s has %s: %s', (workflow, status, message, crashed) => {
  expect(endOfClosedWorkflow(workflow)).toEqual({ status, message, ...(crashed && { crashed }) });
});

test('a stopped run is completed if it measured anything', () => {
  expect(endOfStoppedRun('mia', { ...noCounts, completed: 1 })).toEqual({
    status: 'completed',
    message: 'mia stopped the run.',
  });
  expect(endOfStoppedRun('mia', { ...noCounts, failed: 1 })).toEqual({
    status: 'cancelled',
    message: 'mia stopped the run before a task was completed.',
  });
});
