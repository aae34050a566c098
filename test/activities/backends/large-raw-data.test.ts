import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { heartbeat } from '@temporalio/activity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import { freePort } from '../../../scripts/engines/processes.ts';
import { uploadedFile } from '../../../shared/domain/measurement-uploads/model.ts';
import { serveBackend } from '../../support/foreign-backend.ts';
import { type Laboratory, type OwnProcess, oneStage, openLaboratory } from '../../support/laboratory.ts';
import { repetitions } from '../../support/repetitions.ts';

/** MiB of the files, which is also the configured limit. */
const SIZE = repetitions({ quick: 512, soak: 2048 });
const MIB = 1024 * 1024;
/** MiB by which a process may grow while it handles such a file: less than the file itself. */
const GROWTH = 256;
const BACKEND = 'digitizer';

let lab: Laboratory;
let [worker, api]: OwnProcess[] = [];
let address: string;
let backend: Awaited<ReturnType<typeof serveBackend>>;
beforeAll(async () => {
  // The backend sends its heartbeats between the parts that it uploads, in the test's own process.
  const patient = { MEASURE_HEARTBEAT_TIMEOUT: '60' };
  lab = await openLaboratory({ RAW_DATA_MIB: String(SIZE), DISK_RESERVE_MIB: '0', ...patient });
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const settings = { API_PORT: String(port), ADMIN_PASSWORD: 'correct horse battery' };
  [worker, api] = await Promise.all([lab.startWorker(), lab.startApi(settings)]);
  backend = await serveBackend(lab, BACKEND, async (request) => {
    const [target = ''] = request.targets;
    return { targets: { [target]: await (answers[target] ?? values)(request) } };
  });
});
afterAll(async () => {
  await backend?.close();
  await lab?.close();
});

/** What is measured, by target. The others have a value without data. */
const answers: Record<string, (request: MeasureRequest) => Promise<unknown>> = {
  1: (request) => written(request, SIZE * MIB),
  2: uploaded,
  3: (request) => written(request, SIZE * MIB + 1),
};

async function values(): Promise<unknown> {
  return { outputs: { t1: { value: 40 } }, quality: { r2: 0.99 } };
}

/** A data file without content, so that it needs no space. */
async function written({ artifact_dir }: MeasureRequest, bytes: number): Promise<unknown> {
  const path = join(artifact_dir, 'data.nc');
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
  return { dataset_path: path };
}

/** A data file that is sent to the API. */
async function uploaded({ task_id, upload_token }: MeasureRequest): Promise<unknown> {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === SIZE) return controller.close();
      controller.enqueue(new Uint8Array(MIB).fill(sent % 251));
      sent += 1;
      heartbeat();
    },
  });
  const answer = await fetch(`${address}/measurements/${task_id}/files/data.nc`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', authorization: `Bearer ${upload_token}` },
    body,
    duplex: 'half',
  });
  return { dataset_path: uploadedFile.parse(await answer.json()).path };
}

/** Most MiB of memory that a process has ever had. */
async function peakOf({ pid }: OwnProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function measured(qids: readonly string[]) {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], qids), { backend: BACKEND });
  await lab.ended(place.projectId, run.execution_id);
  const tasks = await lab.tasksOf(place.projectId, run.execution_id);
  return new Map(tasks.map((task) => [task.qid, task]));
}

test('data of the configured limit is kept as raw data without being in memory, and more is refused', async () => {
  if (!worker || !api) throw new Error('nothing was started');
  // What a process has after its first measurement and its first file is not due to large files.
  await measured(['0']);
  await fetch(`${address}/files/raw-data?path=/none`);
  const before = await Promise.all([worker, api].map(peakOf));

  const tasks = await measured(['1', '2', '3']);
  for (const qid of ['1', '2']) {
    const task = tasks.get(qid);
    expect(task).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(
        `data file of ${SIZE} MiB is kept as raw data and is too large to be analysed, which is done up to 64 MiB`,
      ),
    });
    const [path = ''] = task?.raw_data_path ?? [];
    expect((await stat(lab.pathOf(path))).size).toBe(SIZE * MIB);
  }
  expect(tasks.get('3')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining(
      `files have ${SIZE + 1} MiB; of a measurement at most ${SIZE} MiB are kept`,
    ),
    raw_data_path: [],
  });

  const [path = ''] = tasks.get('2')?.raw_data_path ?? [];
  const file = await fetch(`${address}/files/raw-data?path=${encodeURIComponent(lab.pathOf(path))}`);
  const arrived = createHash('sha256');
  for await (const chunk of file.body ?? []) arrived.update(chunk);
  const sent = createHash('sha256');
  for (let part = 0; part < SIZE; part += 1) sent.update(new Uint8Array(MIB).fill(part % 251));
  expect(arrived.digest('hex')).toBe(sent.digest('hex'));

  const after = await Promise.all([worker, api].map(peakOf));
  const grown = after.map((peak, index) => peak - (before[index] ?? 0));
  console.log(
    `${SIZE} MiB: worker and API grew by ${grown.map((each) => each.toFixed(0)).join(' and ')} MiB`,
  );
  for (const growth of grown) expect(growth).toBeLessThan(GROWTH);
});
