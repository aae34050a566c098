import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import { createWorkerResults, sameRequestKey } from '../../../activities/backends/kept-results.ts';
import type { KeptResult } from '../../../shared/domain/runs/kept-result-model.ts';
import { taskNamed } from '../../support/ids.ts';
import { requestOf, taskOf } from '../../support/measured.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-kept-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function request(changes: Partial<MeasureRequest> = {}): MeasureRequest {
  return requestOf(taskOf('CheckT1'), '0', {}, { artifact_dir: directory, ...changes });
}

function keptFor(asked: MeasureRequest, seconds = 0): KeptResult {
  const started = Date.UTC(2026, 2, 1);
  return {
    request: sameRequestKey(asked),
    attempt: asked.attempt,
    started_at: new Date(started).toISOString(),
    finished_at: new Date(started + seconds * 1000).toISOString(),
    result: { targets: { 0: { outputs: { t1: { value: 40 } } } } },
    failure: null,
  };
}

test('a repetition gets the result from memory, another worker from the shared directory', async () => {
  const worker = createWorkerResults();
  expect(await worker.keep(request(), keptFor(request()))).toBe(true);
  const repetition = request({ attempt: 2, epoch: 5, deadline: '2026-03-01T01:00:00.000Z', timeout: 60 });
  expect(await worker.find(repetition)).toMatchObject({ attempt: 1, failure: null });
  expect(await createWorkerResults().find(repetition)).toEqual(keptFor(request()));
});

test.each([
  ['pass', { pass: 2 }],
  ['target', { targets: ['1'] }],
  ['task', { task_name: 'CheckRabi' }],
  ['task id', { task_id: taskNamed('other') }],
  [
    'run parameter',
    { run_parameters: { shots: { value: 7, value_type: 'int', unit: '', description: '' } } },
  ],
  ['input', { input_parameters: { f01: { value: 5, value_type: 'float', unit: 'GHz', description: '' } } }],
])('a request with another %s is measured', async (_, changes) => {
  const worker = createWorkerResults();
  await worker.keep(request(), keptFor(request()));
  expect(await worker.find(request(changes))).toBeNull();
  expect(await createWorkerResults().find(request(changes))).toBeNull();
});

test('a worker without the shared directory keeps results in memory', async () => {
  const worker = createWorkerResults();
  const asked = request({ artifact_dir: join(directory, 'missing') });
  expect(await worker.keep(asked, keptFor(asked))).toBe(false);
  expect(await worker.find(asked)).toEqual(keptFor(asked));
});

test('a folder that was removed in the meantime is created again', async () => {
  const worker = createWorkerResults();
  const next = request({ task_id: taskNamed('next') });
  await worker.keep(request(), keptFor(request()));
  await rm(join(directory, 'results_to_deliver'), { recursive: true });
  await worker.keep(next, keptFor(next));
  await worker.keep(next, keptFor(next, 60));
  expect(await readdir(join(directory, 'results_to_deliver'))).toEqual(['next_1.json']);
});

test('a damaged file counts as nothing kept', async () => {
  await mkdir(join(directory, 'results_to_deliver', 'task_1.json'), { recursive: true });
  expect(await createWorkerResults().find(request())).toBeNull();
});
