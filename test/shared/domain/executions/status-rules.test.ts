import { expect, test } from 'vitest';
import {
  flowRunState,
  missingWorker,
  waitingReason,
} from '../../../../shared/domain/executions/status-rules.ts';

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
  const waiting = { for: missingWorker('X'), since: '2026-01-02T10:42:59.000Z' };
  expect(waitingReason({ status: 'running', created_at })).toBeNull();
  expect(waitingReason({ status: 'running', created_at, waiting })).toBe(
    'a worker for backend X (none is connected: start it, in Python with calibron backend serve, or cancel the run), since 2026-01-02 10:42 UTC',
  );
  expect(waitingReason({ status: 'running', created_at, waiting, paused })).toBe(
    'resume, since ada paused the run at 2026-01-02 03:04 UTC',
  );
  expect(waitingReason({ status: 'scheduled', created_at })).toBe(
    'the service to start the run, since 2026-01-02 03:00 UTC',
  );
  const trouble = { for: 'record · 0 of stage 0 to succeed', since: '2026-01-02T10:43:00.000Z' };
  const cancel_requested_at = new Date('2026-01-02T10:44:00.000Z');
  expect(waitingReason({ status: 'running', created_at, waiting, paused, cancel_requested_at })).toBe(
    'what is under way to end, since the run was cancelled at 2026-01-02 10:44 UTC; ada paused the run at 2026-01-02 03:04 UTC',
  );
  expect(waitingReason({ status: 'running', created_at, paused, trouble })).toBe(
    'record · 0 of stage 0 to succeed, since 2026-01-02 10:43 UTC; ada paused the run at 2026-01-02 03:04 UTC',
  );
  expect(waitingReason({ status: 'running', created_at, waiting, cancel_requested_at, trouble })).toBe(
    'record · 0 of stage 0 to succeed, since 2026-01-02 10:43 UTC',
  );
  expect(waitingReason({ status: 'cancelled', created_at, waiting, paused, trouble })).toBeNull();
});
