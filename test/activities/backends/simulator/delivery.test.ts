import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  INLINE_DATASET_LIMIT,
  type MeasureRequest,
  measureResult,
  readMeasureResult,
} from '../../../../activities/backends/backend.ts';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { RESULT_LIMIT } from '../../../../shared/domain/backends/answer-rules.ts';
import { decodeNetcdf } from '../../../../shared/science/datasets/netcdf.ts';
import { taskNames } from '../../../../shared/tasks/catalog.ts';
import { boxSetupSimulation } from '../../../../shared/tasks/simulations.ts';
import { taskNamed } from '../../../support/ids.ts';
import { artifactDirectory, at, quiet, requestOf, taskOf } from '../../../support/measured.ts';

const simulator = createSimulator({ now: () => at });
const readout = { readout_frequency: { value: 10.2, value_type: 'float', unit: 'GHz' } };

function request(name: string, targets: string[], changes: Partial<MeasureRequest> = {}): MeasureRequest {
  const task_id = `${name}-${targets.length}`;
  return requestOf(taskOf(name), '0', readout, { targets, task_id: taskNamed(task_id), ...changes });
}

async function answerTo(asked: MeasureRequest) {
  return measureResult.parse(await simulator.measure(asked, quiet()));
}

describe('data too large to travel inline', () => {
  test('is in the artifact directory as NetCDF, with axes and units', async () => {
    const { targets } = await answerTo(request('CheckQubitSpectroscopy', ['0']));
    const { dataset, dataset_path: path = '' } = targets['0'] ?? {};
    expect(dataset).toBeUndefined();
    expect(path.startsWith(artifactDirectory)).toBe(true);
    expect(readdirSync(artifactDirectory).filter((name) => name.endsWith('.partial'))).toEqual([]);
    const read = decodeNetcdf(readFileSync(path));
    expect(read.dataset.dims).toEqual({ power: 12, frequency: 650 });
    expect(read.dataset.coordinates.power?.unit).toBe('dB');
    expect(read.dataset.coordinates.frequency?.unit).toBe('GHz');
    expect(Object.keys(read.dataset.variables)).toEqual(['iq_re', 'iq_im']);
    expect(read.attributes).toMatchObject({
      task_id: 'CheckQubitSpectroscopy-1',
      qid: '0',
      chip_id: 'chip',
      backend: 'simulator',
      time_coverage_start: at.toISOString(),
      input_parameters: JSON.stringify(readout),
      format_version: 1,
    });
  });

  test('is written again by a repeat, under the same name and with the same content', async () => {
    const asked = request('CheckResonatorSpectroscopy', ['1']);
    const first = (await answerTo(asked)).targets['1']?.dataset_path ?? '';
    const content = readFileSync(first);
    expect((await answerTo(asked)).targets['1']?.dataset_path).toBe(first);
    expect(readFileSync(first)).toEqual(content);
    const again = (await answerTo({ ...asked, attempt: 2 })).targets['1']?.dataset_path;
    expect(again).not.toBe(first);
  });

  test('is measured once for all qubits of a readout line', async () => {
    const { targets } = await answerTo(request('CheckResonatorSpectroscopy', ['0', '1', '3', '4']));
    expect(targets['1']).toEqual(targets['0']);
    expect(targets['3']).toEqual(targets['0']);
    expect(targets['4']).not.toEqual(targets['0']);
    const path = targets['0']?.dataset_path ?? '';
    expect(decodeNetcdf(readFileSync(path)).attributes.qid).toBe('0,1,3');
  });

  test('leaves a result within its limit for a batch of 64 qubits', async () => {
    const qids = Array.from({ length: 64 }, (_, index) => String(index));
    const target_parameters = Object.fromEntries(qids.map((qid) => [qid, readout]));
    const asked = request('CheckSimultaneousQubitSpectroscopy', qids, {
      input_parameters: {},
      target_parameters,
    });
    const answer = await simulator.measure(asked, quiet());
    expect(JSON.stringify(answer).length).toBeLessThan(RESULT_LIMIT);
    expect(readMeasureResult(answer)).toBeTypeOf('object');
  });

  test('goes to files too when many small datasets together are large', async () => {
    const qids = Array.from({ length: 12 }, (_, index) => String(index));
    const answer = await answerTo(request('CheckElectricalDelay', qids));
    const sizes = Object.values(answer.targets).map(({ dataset }) => JSON.stringify(dataset ?? '').length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(INLINE_DATASET_LIMIT);
    expect(JSON.stringify(answer).length).toBeLessThan(RESULT_LIMIT);
  });
});

describe('a task of box setup', () => {
  const names = taskNames().filter((name) => boxSetupSimulation(name) !== undefined);

  test('is one of six', () => {
    expect(names).toHaveLength(6);
  });

  test.each(names)('%s succeeds without outputs, and says what it did', async (name) => {
    const { targets, log } = await answerTo(request(name, ['0', '5']));
    expect(targets).toEqual({ '0': { outputs: {} }, '5': { outputs: {} } });
    expect(log).toMatch(/\S/);
  });

  test('names the MUXes and qubits that it was given', async () => {
    const list = (value: (string | number)[]) => ({ value, value_type: 'list', unit: '' });
    const all = await answerTo(request('ConfigureAll', ['0'], { run_parameters: { mux_ids: list([3, 4]) } }));
    expect(all.log).toBe('Configured the boxes of MUX 3, 4.');
    const some = await answerTo(
      request('ReadoutConfigure', ['0'], { run_parameters: { qubits: list(['1', '2']) } }),
    );
    expect(some.log).toBe('Configured the readout of 1, 2.');
    const none = await answerTo(request('ReadoutConfigure', ['0']));
    expect(none.log).toBe('Nothing to configure.');
  });
});

test('without a shared file system large data is uploaded with the token of the measurement', async () => {
  const received: { url: string | undefined; token: string | undefined; content: Buffer }[] = [];
  let status = 201;
  const api = createServer(async (asked, answer) => {
    const parts: Buffer[] = [];
    for await (const part of asked) parts.push(part);
    const content = Buffer.concat(parts);
    received.push({ url: asked.url, token: asked.headers.authorization, content });
    answer.writeHead(status).end(JSON.stringify({ path: '/data/uploaded.nc', size: content.length }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const uploadUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const remote = createSimulator({ now: () => at, uploadUrl });
  const asked = request('CheckQubitSpectroscopy', ['0'], { upload_token: 'token', artifact_dir: '/nowhere' });
  const { targets } = measureResult.parse(await remote.measure(asked, quiet()));
  expect(targets['0']?.dataset_path).toBe('/data/uploaded.nc');
  const [file] = received;
  expect(file?.url).toMatch(
    /^\/measurements\/CheckQubitSpectroscopy-1\/files\/CheckQubitSpectroscopy_.+\.nc$/,
  );
  expect(file?.token).toBe('Bearer token');
  expect(decodeNetcdf(file?.content ?? Buffer.alloc(0)).dataset.dims).toEqual({ power: 12, frequency: 650 });
  status = 401;
  await expect(remote.measure(asked, quiet())).rejects.toThrow('The data could not be uploaded');
  api.close();
});
