import { expect, test } from 'vitest';
import { flowRunState, waitingSentence } from '../../../../shared/domain/executions/status-rules.ts';
import { noCounts } from '../../../../shared/domain/results/count-rules.ts';
import { endOfClosedWorkflow, endOfStoppedRun } from '../../../../shared/domain/runs/end-rules.ts';
import { estimatedEnd } from '../../../../shared/domain/runs/progress-rules.ts';

const paused = { by: 'ada', at: '2026-01-02T03:04:05.678Z' };
const created_at = new Date('2026-01-02T03:00:00Z');

test('the rest of a run is expected to go as fast as what is settled', () => {
  const since = new Date('2026-01-02T00:00:00Z');
  const now = new Date('2026-01-02T00:10:00Z');
  expect(estimatedEnd({ settled: 25, total: 100, since, now })).toEqual(new Date('2026-01-02T00:40:00Z'));
  expect(estimatedEnd({ settled: 0, total: 100, since, now })).toBeNull();
  expect(estimatedEnd({ settled: 100, total: 100, since, now })).toBeNull();
  expect(estimatedEnd({ settled: 50, total: 100, since: now, now: since })).toEqual(since);
});

test('each status of an execution is a state of its flow run', () => {
  expect(flowRunState({ status: 'scheduled' })).toBe('PENDING');
  expect(flowRunState({ status: 'running' })).toBe('RUNNING');
  expect(flowRunState({ status: 'scheduled', paused })).toBe('PAUSED');
  expect(flowRunState({ status: 'running', paused })).toBe('PAUSED');
  expect(flowRunState({ status: 'completed' })).toBe('COMPLETED');
  expect(flowRunState({ status: 'failed' })).toBe('FAILED');
  expect(flowRunState({ status: 'cancelled' })).toBe('CANCELLED');
  for (const ended of ['TERMINATED', 'TIMED_OUT'] as const) {
    expect(flowRunState(endOfClosedWorkflow(ended))).toBe('CRASHED');
  }
  expect(flowRunState(endOfClosedWorkflow('CANCELLED'))).toBe('CANCELLED');
});

test('what a run waits for is said with its beginning, a pause before all else', () => {
  const waiting = { for: 'a worker for backend X', since: '2026-01-02T10:42:59.000Z' };
  expect(waitingSentence({ status: 'running', created_at })).toBeNull();
  expect(waitingSentence({ status: 'running', created_at, waiting })).toBe(
    'a worker for backend X, since 2026-01-02 10:42 UTC',
  );
  expect(waitingSentence({ status: 'running', created_at, waiting, paused })).toBe(
    'resume, since ada paused the run at 2026-01-02 03:04 UTC',
  );
  expect(waitingSentence({ status: 'scheduled', created_at })).toBe(
    'a worker that takes the run, since 2026-01-02 03:00 UTC',
  );
  expect(waitingSentence({ status: 'cancelled', created_at, waiting, paused })).toBeNull();
});

test('a stopped run is completed as soon as one of its tasks is', () => {
  expect(endOfStoppedRun('ada', { ...noCounts, completed: 1, skipped: 5, total: 6 }).status).toBe(
    'completed',
  );
  expect(endOfStoppedRun('ada', { ...noCounts, failed: 1, total: 6 }).status).toBe('cancelled');
});
