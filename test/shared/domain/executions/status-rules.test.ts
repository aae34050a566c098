import { expect, test } from 'vitest';
import { flowRunState, waitingSentence } from '../../../../shared/domain/executions/status-rules.ts';

const paused = { by: 'ada', at: '2026-01-02T03:04:05.678Z' };
const created_at = new Date('2026-01-02T03:00:00Z');

test('each status of an execution is a state of its flow run', () => {
  expect(flowRunState({ status: 'scheduled' })).toBe('PENDING');
  expect(flowRunState({ status: 'running' })).toBe('RUNNING');
  expect(flowRunState({ status: 'scheduled', paused })).toBe('PAUSED');
  expect(flowRunState({ status: 'running', paused })).toBe('PAUSED');
  expect(flowRunState({ status: 'completed' })).toBe('COMPLETED');
  expect(flowRunState({ status: 'failed' })).toBe('FAILED');
  expect(flowRunState({ status: 'cancelled' })).toBe('CANCELLED');
  expect(flowRunState({ status: 'failed', crashed: true })).toBe('CRASHED');
  expect(flowRunState({ status: 'cancelled', crashed: true })).toBe('CRASHED');
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
