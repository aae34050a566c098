import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { RawValue } from '@temporalio/common/lib/converter/payload-converter.js';
import { encode } from '@temporalio/common/lib/encoding.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import { waitingReason } from '../../../shared/domain/executions/status-rules.ts';
import type { StartedRun } from '../../../shared/domain/runs/model.ts';
import { failureTypes } from '../../../shared/kernel/engine/failure-types.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { serveBackend } from '../../support/foreign-backend.ts';
import { eventually, type LabChip, type Laboratory, oneStage } from '../../support/laboratory.ts';

let lab: Laboratory;
let strange: Awaited<ReturnType<typeof serveBackend>>;
/** A run on a backend that no worker serves: begun first, since what it waits for is told only after a while. */
let unserved: { place: LabChip; run: StartedRun };

/** Bytes of an answer exactly as a worker in another language may send them. */
function raw(json: string): RawValue {
  return new RawValue(null, {
    toPayload: () => ({ metadata: { encoding: encode('json/plain') }, data: encode(json) }),
    fromPayload: () => {
      throw new Error('not read here');
    },
  });
}

/** A data file of this size, without content, so that it needs no space. */
async function largeFile({ targets: [target = ''], artifact_dir }: MeasureRequest, mib: number) {
  const file = await open(join(artifact_dir, `${target}.nc`), 'w');
  await file.truncate(mib * 1024 * 1024);
  await file.close();
  return { targets: { [target]: { dataset_path: join(artifact_dir, `${target}.nc`) } } };
}

const axis = { title: { text: 'time (ns)' } };
const tiny = { title: { text: 'T1' }, xaxis: axis, yaxis: axis, width: 0, height: -3 };

/** What the strange backend answers, by target. */
const answers: Record<string, (request: MeasureRequest) => unknown> = {
  0: () => raw('{"targets": {"0": {"outputs": {"t1": {"value": NaN}}}}}'),
  1: () => ({ targets: { 1: { outputs: { t1: { value: 40 } } } }, log: 'x'.repeat(1_500_000) }),
  2: () => 'garbage',
  3: () => {
    throw new Error('the cryostat is warm');
  },
  4: () => undefined,
  5: () => ({ targets: { 5: { outputs: { t1: { value: null } } } } }),
  6: () => ({ targets: { 7: { outputs: { t1: { value: 40 } } } } }),
  7: () => ({ targets: { 7: { outputs: { t1: { value: -3 } } } } }),
  8: () => ({ targets: { 8: { outputs: { t9: { value: 3 } } } } }),
  9: () => ({ targets: { 9: { dataset_path: '/etc/passwd' } } }),
  10: () => ({ targets: { 10: { outputs: { t1: { value: 41.5, error: 0.5 } }, quality: { r2: 0.99 } } } }),
  12: () => ({ targets: { 12: { outputs: { t1: { value: 40 } } } }, log: 'x'.repeat(10 * 1024 * 1024) }),
  13: (request) => ({ targets: { 13: { dataset_path: join(request.artifact_dir, 'folder') } } }),
  14: () => ({ targets: { 14: { outputs: { t1: { value: 40 } }, figures: [{ data: [], layout: tiny }] } } }),
  11: () => ({ targets: { 11: { outputs: { t1: { value: 41.5 } }, quality: { r2: 0.2 } } } }),
  16: (request) => largeFile(request, 65),
  17: (request) => largeFile(request, 4097),
  15: () => {
    throw ApplicationFailure.nonRetryable('The worker is stopping.', failureTypes.workerShutdown);
  },
};

beforeAll(async () => {
  lab = await commonLaboratory();
  const place = await lab.newProject();
  unserved = { place, run: await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: 'nobody' }) };
  strange = await serveBackend(lab, 'strange', async (request) => {
    await mkdir(join(request.artifact_dir, 'folder'), { recursive: true });
    return answers[request.targets[0] ?? '']?.(request);
  });
});
afterAll(() => strange.close());

test('whatever a backend answers, the task fails with a message, and the run continues and frees the project', async () => {
  const place = await lab.newProject({ size: 64 });
  const qids = Object.keys(answers);
  const run = await lab.startFlow(place, oneStage(['CheckT1'], qids), { backend: 'strange' });
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution).toMatchObject({
    status: 'completed',
    message: expect.stringContaining('2 of 18 tasks completed, 16 failed'),
  });
  await lab.free(place.projectId);
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  const messages = Object.fromEntries(tasks.map((task) => [task.qid, task.message]));
  expect(messages).toMatchObject({
    0: 'The output t1 is NaN, which is not a finite number.',
    1: expect.stringMatching(/bytes; at most 65536 are allowed/),
    2: expect.stringMatching(/does not fit the contract/),
    3: 'The backend reported an error: the cryostat is warm',
    4: expect.stringMatching(/does not fit the contract/),
    5: 'The output t1 has no value.',
    6: "The backend's answer has nothing for target 6.",
    7: expect.stringMatching(/^The output t1 is -3 us, which must be above/),
    8: 'CheckT1 has no output named t9.',
    9: expect.stringMatching(/not in the task's artifact_dir/),
    10: 'CheckT1 is completed.',
    // Too large for the engine itself: the answer is lost on its way, as if the worker had died.
    12: expect.stringMatching(/^The (backend|measurement was given up)/),
    13: expect.stringMatching(/data file/),
    // A figure never costs the value, which has no r2 here.
    14: expect.stringMatching(
      /^CheckT1 is completed\. CheckT1 needs an r2 .* Figure 1 of the backend is stored as it is and cannot be drawn/,
    ),
    16: expect.stringMatching(/data file of 65 MiB is kept as raw data .* up to 64 MiB/),
    17: expect.stringMatching(/files have 4097 MiB; .* at most 4096 MiB are kept/),
    11: expect.stringMatching(/r2 0.2 is not above 0.7/),
    // A worker that only ever stops: no fault of the instrument, but not waited for without end.
    15: 'The measurement was given up: its worker was stopped or cut off, or it was reset by hand, 11 times. The instrument reported no error.',
  });
  const unreadable = tasks.find(({ qid }) => qid === '13');
  expect(unreadable?.raw_data_path, 'what cannot be read is no raw data').toEqual([]);
  const large = tasks.find(({ qid }) => qid === '16');
  expect(large?.raw_data_path, 'what is too large to be analysed is kept').toEqual([
    expect.stringMatching(/16\.nc$/),
  ]);
  const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '7');
  expect(qubit?.data['t1']).toBeUndefined();
  expect(qubit?.status).toBe('failed');
  const good = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '10');
  expect(good?.data['t1']).toMatchObject({ value: 41.5, error: 0.5, unit: 'us' });
});

test.each([
  [{ behaviour: 'nan' }, /does not fit the contract: .*NaN/],
  [{ behaviour: 'oversize' }, /bytes; at most 65536 are allowed/],
  [{ behaviour: 'garbage' }, /contract|nothing for target/],
  [
    { behaviour: 'error', message: 'the fridge is open' },
    /^The backend reported an error: the fridge is open$/,
  ],
  [{ behaviour: 'silent' }, /no sign of life 3 times/],
] as const)('a simulator with the fault $behaviour fails its task alone', async (fault, message) => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId, targets: ['0'] }, ...fault }],
  });
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']));
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('completed');
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  const byQid = Object.fromEntries(tasks.map((task) => [task.qid, task]));
  expect(byQid['1']?.status).toBe('completed');
  expect(byQid['0']?.status).toBe('failed');
  expect(byQid['0']?.message).toMatch(message);
  await lab.free(place.projectId);
});

test('a run on a backend that no worker serves says what it waits for', async () => {
  const { place, run } = unserved;
  const stage = lab.engine.client.workflow.getHandle(`exec:${place.projectId}/${run.execution_id}/0`);
  await expect
    .poll(
      async () =>
        (await stage.query<{ waiting_for: string | null }>('progress').catch(() => null))?.waiting_for,
    )
    .toMatch(/^a worker for backend nobody \(none is connected: .*\), since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
  const waiting = await eventually(async () => {
    const execution = await lab.areas.executions.store.get(place.projectId, run.execution_id);
    return execution && waitingReason(execution);
  });
  expect(waiting).toMatch(
    /^a worker for backend nobody \(none is connected: .*\), since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
  );
  await lab.runs.control.cancel(place.projectId, run.flow_run_id);
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('cancelled');
});
