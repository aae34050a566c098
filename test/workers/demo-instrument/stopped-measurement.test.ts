import { expect, test } from 'vitest';
import { executionIdSchema, projectIdSchema, taskIdSchema } from '../../../shared/kernel/ids.ts';
import { type Instrument, measureToTheEnd } from '../../../workers/demo-instrument/backend-worker.ts';
import { CONTRACT, type MeasureRequest } from '../../../workers/demo-instrument/contract.ts';

const request: MeasureRequest = {
  contract: CONTRACT,
  project_id: projectIdSchema.parse('6f6e0f2a-54a2-4f2b-9d0e-0d5b5a4c1f10'),
  chip_id: 'A16',
  execution_id: executionIdSchema.parse('20260101-000'),
  epoch: 1,
  task_id: taskIdSchema.parse('0b0d2a54-9a3b-4a38-8a58-3b1c8f2d7e11'),
  attempt: 1,
  task_name: 'CheckT1',
  task_type: 'qubit',
  targets: ['0'],
  input_parameters: {},
  run_parameters: {},
  artifact_dir: '/nowhere',
  timeout: 60,
  deadline: '2026-01-01T00:01:00Z',
};

/** Returns when it is aborted, with the points that it has by then, as many drivers do. */
const driver: Instrument = {
  measure: (_, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ targets: { 0: {} } }))),
};

test('what an instrument returns after it was aborted is no result', async () => {
  const stop = new AbortController();
  const measured = measureToTheEnd(driver, request, stop.signal);
  stop.abort(new Error('The worker was cut off.'));
  await expect(measured).rejects.toThrow('cut off');
});

test('what an instrument returns before it must stop is its result', async () => {
  const instrument: Instrument = { measure: async () => ({ targets: { 0: { outputs: {} } } }) };
  const result = await measureToTheEnd(instrument, request, new AbortController().signal);
  expect(result).toEqual({ targets: { 0: { outputs: {} } } });
});
