import { expect, test } from 'vitest';
import { flowRunState } from '../../../../shared/domain/executions/status-rules.ts';
import { noCounts } from '../../../../shared/domain/results/count-rules.ts';
import { endOfClosedWorkflow, endOfStoppedRun } from '../../../../shared/domain/runs/end-rules.ts';

test('a closed workflow has exactly one end state', () => {
  expect(endOfClosedWorkflow('TERMINATED').status).toBe('cancelled');
  expect(endOfClosedWorkflow('CANCELLED').status).toBe('cancelled');
  expect(endOfClosedWorkflow('TIMED_OUT').status).toBe('failed');
  expect(endOfClosedWorkflow('FAILED').status).toBe('failed');
});

test('a run that the engine ended has crashed, one that people cancelled has not', () => {
  for (const ended of ['TERMINATED', 'TIMED_OUT'] as const) {
    expect(flowRunState(endOfClosedWorkflow(ended))).toBe('CRASHED');
  }
  expect(flowRunState(endOfClosedWorkflow('CANCELLED'))).toBe('CANCELLED');
});

test('a stopped run is completed as soon as one of its tasks is', () => {
  expect(endOfStoppedRun('ada', { ...noCounts, completed: 1, skipped: 5, total: 6 }).status).toBe(
    'completed',
  );
  expect(endOfStoppedRun('ada', { ...noCounts, failed: 1, total: 6 }).status).toBe('cancelled');
});
