import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { artifactPreview } from '../../shared/science/previews/model.ts';
import { addVariable, classic, hdf5 } from '../support/netcdf-files.ts';
import { type Api, expectError, expectProblems, read, startApi } from './harness.ts';

let api: Api;
let folder: string;

beforeAll(async () => {
  api = await startApi();
  folder = join(api.settings.CALIB_DATA_PATH, 'project', 'CHIP', '20260102', '000', 'raw_data');
  await mkdir(folder, { recursive: true });
});
afterAll(() => api.close());

const ask = (path: string) => api.call('/executions/artifact/preview', { query: { path } });
let made = 0;
async function answerFor(bytes: Uint8Array) {
  const path = join(folder, `file${made++}.nc`);
  await writeFile(path, bytes);
  return ask(path);
}
const preview = async (bytes: Uint8Array) => read(artifactPreview, await answerFor(bytes));
const count = (length: number, step = 1) => Array.from({ length }, (_, index) => index * step);

/** A dataset as a task stores it. */
const variable = (dims: string[], values: (number | null)[]) => ({ dims, values, unit: '', long_name: '' });

describe('the preview of a file that a task stored', () => {
  test('shows complex data by its axis', async () => {
    const bytes = encodeNetcdf(
      {
        dims: { time: 3 },
        coordinates: { time: variable(['time'], [0, 10, 20]) },
        variables: { iq_re: variable(['time'], [3, 0, null]), iq_im: variable(['time'], [4, -1, null]) },
      },
      { qid: '3', task_name: 'CheckT1' },
    );
    expect(await preview(bytes)).toEqual({
      filename: expect.stringMatching(/^file\d+\.nc$/),
      target: '3',
      source_type: null,
      shape: [3],
      dtype: 'complex',
      columns: ['time', 'real', 'imag', 'abs'],
      rows: [
        { time: 0, real: 3, imag: 4, abs: 5 },
        { time: 10, real: 0, imag: -1, abs: 1 },
        { time: 20, real: 'nan', imag: 'nan', abs: 'nan' },
      ],
      total_rows: 3,
      truncated: false,
    });
  });

  test('shows the first 50 values of a map, the last axis running fastest', async () => {
    const bytes = encodeNetcdf({
      dims: { power: 20, frequency: 30 },
      coordinates: {
        power: variable(['power'], count(20, -1)),
        frequency: variable(['frequency'], count(30, 0.5)),
      },
      variables: { signal: variable(['power', 'frequency'], count(600)) },
    });
    const { rows, ...table } = await preview(bytes);
    expect(table).toMatchObject({ shape: [20, 30], dtype: 'float64', total_rows: 600, truncated: true });
    expect(table.columns).toEqual(['power', 'frequency', 'value']);
    expect(rows).toEqual(
      count(50).map((row) => ({ power: -Math.floor(row / 30) + 0, frequency: (row % 30) / 2, value: row })),
    );
  });
});

describe('the preview of a classic file by other software', () => {
  test('takes the variable data, and names axes by axes_<name>', async () => {
    const bytes = classic(
      [
        ['x', 2],
        ['y', 3],
      ],
      [
        { name: 'larger', dims: [0, 1, 1], type: 'double', values: count(18) },
        { name: 'data', dims: [0, 1], type: 'short', values: [5, 6, 7, 8, 9, 10] },
        { name: 'axes_gain', dims: [1], type: 'double', values: [0.1, 0.2, 0.3] },
        { name: 'axes_unused', dims: [1], type: 'double', values: [1, 2, 3] },
      ],
      { attributes: { payload_json: JSON.stringify({ target: 'Q03', source_type: 'sweep', more: [1] }) } },
    );
    const table = await preview(bytes);
    expect(table).toMatchObject({ target: 'Q03', source_type: 'sweep', dtype: 'int16', shape: [2, 3] });
    expect(table.columns).toEqual(['index_0', 'gain', 'value']);
    expect(table.rows[4]).toEqual({ index_0: 1, gain: 0.2, value: 9 });
  });

  test('reads records, of one value or of many', async () => {
    const bytes = classic(
      [
        ['time', 0],
        ['channel', 3],
      ],
      [
        { name: 'time', dims: [0], type: 'double', values: count(30, 2) },
        { name: 'volts', dims: [0, 1], type: 'double', values: count(90) },
        { name: 'name', dims: [1], type: 'char', values: 'abc' },
      ],
      { records: 30 },
    );
    const table = await preview(bytes);
    expect(table).toMatchObject({ columns: ['time', 'index_1', 'value'], total_rows: 90, truncated: true });
    expect(table.rows.length).toBe(50);
    expect(table.rows[49]).toEqual({ time: 32, index_1: 1, value: 49 });
  });

  test('shows text where there is nothing else, and one value as one row', async () => {
    const letters = classic([['n', 3]], [{ name: 'name', dims: [0], type: 'char', values: 'Q03' }]);
    expect((await preview(letters)).rows.map(({ value }) => value)).toEqual(['Q', '0', '3']);
    const scalar = await preview(classic([], [{ name: 'f', dims: [], type: 'double', values: [4.5] }]));
    expect(scalar).toMatchObject({ shape: [], columns: ['value'], rows: [{ value: 4.5 }], total_rows: 1 });
  });
});

describe('the preview of a NetCDF-4 file', () => {
  test('shows the largest variable by its dimension scales, and by the index where there is none', async () => {
    const bytes = await hdf5((file) => {
      addVariable(file, 'freq', count(7, 0.25), { shape: [7] }).make_scale('freq');
      const bare = addVariable(file, 'bare', [0, 0], { shape: [2] });
      bare.create_attribute('NAME', 'This is a netCDF dimension but not a netCDF variable.         2');
      bare.make_scale('This is a netCDF dimension but not a netCDF variable.         2');
      addVariable(file, 'signal', [Number.NaN, Number.POSITIVE_INFINITY, -Infinity, ...count(95)], {
        shape: [7, 2, 7],
        scales: ['freq', 'bare', null],
      });
      file.create_attribute('payload_json', JSON.stringify({ target: 7 }));
    });
    const table = await preview(bytes);
    expect(table).toMatchObject({ target: '7', dtype: 'float64', shape: [7, 2, 7], total_rows: 98 });
    expect(table.columns).toEqual(['freq', 'index_1', 'index_2', 'value']);
    expect(table.rows.slice(0, 3).map(({ value }) => value)).toEqual(['nan', 'inf', '-inf']);
    expect(table.rows[49]).toEqual({ freq: 0.75, index_1: 1, index_2: 0, value: 46 });
  });

  test('shows compounds of r and i as complex data', async () => {
    const bytes = await hdf5((file) => {
      file.create_dataset({
        name: 'data',
        data: new Map([
          ['r', Float64Array.from([3, 1])],
          ['i', Float64Array.from([4, 0])],
        ]),
        shape: [2],
        dtype: [
          ['r', '<d'],
          ['i', '<d'],
        ],
      });
      addVariable(file, 'axes_delay', [10, 20], { shape: [2] });
    });
    expect(await preview(bytes)).toMatchObject({
      dtype: 'complex',
      columns: ['delay', 'real', 'imag', 'abs'],
      rows: [
        { delay: 10, real: 3, imag: 4, abs: 5 },
        { delay: 20, real: 1, imag: 0, abs: 1 },
      ],
    });
  });

  test('shows integers, texts and compressed data', async () => {
    const integers = await hdf5((file) => {
      file.create_dataset({ name: 'n', data: BigInt64Array.from([1n, 2n ** 60n]), shape: [2] });
      file.create_dataset({ name: 'label', data: ['a', 'b', 'c'] });
    });
    expect(await preview(integers)).toMatchObject({
      dtype: 'int64',
      rows: [{ value: 1 }, { value: String(2n ** 60n) }],
    });
    const packed = await hdf5((file) => {
      const data = Float64Array.from(count(10_000));
      file.create_dataset({ name: 'data', data, shape: [100, 100], chunks: [10, 10], compression: 'gzip' });
    });
    expect((await preview(packed)).rows.map(({ value }) => value)).toEqual(count(50));
  });

  test('holds nothing that a table can show: 400', async () => {
    const bytes = await hdf5((file) => file.create_group('results'));
    expect(expectError(await answerFor(bytes), 400, 'unreadable_file')).toContain('no variables');
  });
});

describe('a file that cannot be shown', () => {
  test('is 404 when it is missing, 400 when it is of another kind, 422 without a path', async () => {
    await writeFile(join(folder, 'figure.png'), 'png');
    expectError(await ask(join(folder, 'missing.nc')), 404, 'not_found');
    expectError(await ask(folder), 400, 'bad_request');
    expectError(await ask(join(folder, 'figure.png')), 400, 'bad_request');
    expectProblems(await api.call('/executions/artifact/preview'), [['missing', 'query', 'path']]);
  });

  test('may have its ending in capital letters', async () => {
    const bytes = classic([['n', 1]], [{ name: 'f', dims: [0], type: 'double', values: [1] }]);
    await writeFile(join(folder, 'UPPER.NC'), bytes);
    expect((await ask(join(folder, 'UPPER.NC'))).status).toBe(200);
  });

  test('is 413 above 64 MiB, without being read', async () => {
    const file = await open(join(folder, 'huge.nc'), 'w');
    await file.truncate(64 * 1024 * 1024 + 1);
    await file.close();
    expectError(await ask(join(folder, 'huge.nc')), 413, 'too_large');
  });

  test('is 400 when it is empty, text, or cut off', async () => {
    const whole = classic([['n', 500]], [{ name: 'f', dims: [0], type: 'double', values: count(500) }]);
    const packed = await hdf5((file) => addVariable(file, 'f', count(500), { shape: [500] }));
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('time,value\n1,2\n'),
      Buffer.from('CDF'),
      Buffer.from('CDF\x05', 'latin1'),
      whole.subarray(0, 60),
      packed.subarray(0, 200),
      Buffer.from('\x89HDF\r\n\x1a\n', 'latin1'),
    ]) {
      const message = expectError(await answerFor(bytes), 400, 'unreadable_file');
      expect(message).not.toContain(api.directory);
    }
  });

  test('is 400 when its header promises more than any memory holds', async () => {
    const honest = classic(
      [
        ['n', 4],
        ['m', 4],
      ],
      [{ name: 'f', dims: [0, 1], type: 'double', values: count(16) }],
    );
    const boasting = Buffer.from(honest);
    for (const place of [24, 36]) boasting.writeUInt32BE(0xfffffff0, place);
    expectError(await answerFor(boasting), 400, 'unreadable_file');
    const manyDimensions = Buffer.from(honest);
    manyDimensions.writeUInt32BE(0xffffffff, 12);
    expectError(await answerFor(manyDimensions), 400, 'unreadable_file');
  });

  test('is 400 when a piece of it would unpack into more than 64 MiB', async () => {
    const bytes = await hdf5((file) => {
      const data = new Float64Array(9_000_000);
      file.create_dataset({ name: 'f', data, shape: [9_000_000], chunks: [9_000_000], compression: 'gzip' });
    });
    expect(bytes.length).toBeLessThan(1_000_000);
    expect(expectError(await answerFor(bytes), 400, 'unreadable_file')).toContain('64 MiB');
  });

  test('never breaks the service, whatever bytes are changed', async () => {
    const originals = [
      classic(
        [
          ['time', 0],
          ['n', 3],
        ],
        [{ name: 'f', dims: [0, 1], type: 'short', values: count(30) }],
        { records: 10, attributes: { payload_json: '{"target":"Q1"}' } },
      ),
      await hdf5((file) => {
        const data = Float64Array.from(count(400));
        file.create_dataset({ name: 'data', data, shape: [20, 20], chunks: [5, 5], compression: 'gzip' });
        file.create_attribute('payload_json', '{"target":"Q1"}');
      }),
    ];
    const change = fc.tuple(
      fc.nat(originals.length - 1),
      fc.array(fc.tuple(fc.nat(100_000), fc.nat(255)), { minLength: 1, maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(change, async ([which, changes]) => {
        const bytes = Buffer.from(originals[which] ?? []);
        for (const [place, value] of changes) bytes[place % bytes.length] = value;
        const { status } = await answerFor(bytes);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});
