import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDatasetBytes } from '../../../../shared/science/datasets/dataset-bytes.ts';
import { encodeNetcdf } from '../../../../shared/science/datasets/netcdf.ts';
import { receivedDataset } from '../../../../shared/science/datasets/received.ts';
import { previewNetcdf } from '../../../../shared/science/previews/preview.ts';
import { addVariable, classic, hdf5 } from '../../../support/netcdf-files.ts';

const time = [8, 16, 24];
const iq = [0.5, -0.25, 0.125];

/** A CDF-5 file by its specification: 64-bit counts, an unlimited dimension and a type that CDF-1 does not have. */
function cdf5(): Uint8Array {
  const word = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const long = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(value));
    return bytes;
  };
  const text = (value: string) =>
    Buffer.concat([long(value.length), Buffer.from(value.padEnd(Math.ceil(value.length / 4) * 4, '\0'))]);
  const variable = (name: string, type: number, begin: number) =>
    Buffer.concat([
      ...[
        text(name),
        long(1),
        long(0),
        word(12),
        long(1),
        text('units'),
        word(2),
        text(name === 'time' ? 'ns' : 'V'),
      ],
      ...[word(type), long(8), long(begin)],
    ]);
  const header = (begin: number) =>
    Buffer.concat([
      Buffer.from('CDF\x05', 'latin1'),
      long(time.length),
      ...[word(10), long(1), text('time'), long(0)],
      ...[word(0), long(0)],
      ...[word(11), long(2), variable('time', 10, begin), variable('iq_re', 6, begin + 8)],
    ]);
  const records = time.map((at, index) => {
    const value = Buffer.alloc(8);
    value.writeDoubleBE(iq[index] ?? 0);
    return Buffer.concat([long(at), value]);
  });
  return Buffer.concat([header(header(0).length), ...records]);
}

const expected = {
  dims: { time: 3 },
  coordinates: { time: { dims: ['time'], values: time } },
  variables: { iq_re: { dims: ['time'], values: iq } },
};

describe('a data file', () => {
  test('of CDF-5 with an unlimited dimension is read', async () => {
    const read = await readDatasetBytes(cdf5());
    expect(read).toMatchObject(expected);
    expect(read.coordinates.time?.unit).toBe('ns');
  });

  test('of CDF-5 is previewed by the same reader', async () => {
    const { columns, rows } = await previewNetcdf(cdf5(), 'lab.nc');
    expect(columns).toEqual(['time', 'value']);
    expect(rows).toEqual(time.map((at, index) => ({ time: at, value: iq[index] })));
  });

  test('that is truncated at any byte is refused with that reason', async () => {
    const whole = cdf5();
    for (let length = 4; length < whole.length; length += 7) {
      await expect(readDatasetBytes(whole.subarray(0, length))).rejects.toThrow(
        /ends within|more than the file/,
      );
    }
  });

  test('with records and text, as classic files of xarray have them, is read without the text', async () => {
    const bytes = classic(
      [
        ['time', 0],
        ['length', 4],
      ],
      [
        { name: 'time', dims: [0], type: 'double', values: time },
        { name: 'note', dims: [0, 1], type: 'char', values: 'aaaabbbbcccc' },
        { name: 'iq_re', dims: [0], type: 'double', values: iq },
      ],
      { records: 3 },
    );
    const read = await readDatasetBytes(bytes);
    expect(read).toMatchObject(expected);
    expect(Object.keys(read.variables)).toEqual(['iq_re']);
  });

  test('of NetCDF-4 is read: axes, texts aside, packed numbers, gaps, chunks and compression', async () => {
    const bytes = await hdf5((file) => {
      file.create_dataset({ name: 'time', data: Float64Array.from(time), shape: [3] }).make_scale('time');
      addVariable(file, 'iq_re', iq, { shape: [3], scales: ['time'] });
      const packed = file.create_dataset({
        ...{ name: 'iq_im', data: Int16Array.from([100, -32768, 300]), shape: [3] },
        ...{ chunks: [2], compression: 5 },
      });
      packed.attach_scale(0, 'time');
      packed.create_attribute('scale_factor', 0.01);
      packed.create_attribute('add_offset', 1);
      packed.create_attribute('_FillValue', -32768, null, '<h');
      packed.create_attribute('units', 'mV');
      file.create_dataset({ name: 'operator', data: ['Ada', 'Bo', 'Cy'] });
    });
    const read = await readDatasetBytes(bytes);
    expect(read).toMatchObject(expected);
    expect(read.variables.iq_im).toMatchObject({ values: [2, null, 4], unit: 'mV' });
    expect(Object.keys(read.variables).sort()).toEqual(['iq_im', 'iq_re']);
  });

  test('that we wrote is read unchanged', async () => {
    const axis = { dims: ['time'], values: time, unit: 'ns', long_name: 'Time' };
    const dataset = {
      dims: { time: 3 },
      coordinates: { time: axis },
      variables: { iq_re: { ...axis, values: [0.5, null, 0.125], unit: 'V' } },
    };
    expect(await readDatasetBytes(encodeNetcdf(dataset))).toEqual(dataset);
  });

  test.each([
    ['PK\x03\x04 and so on', /damaged zip archive/],
    ['garbage of some length', /of another kind; NetCDF-3.*zipped Zarr are read/],
    ['', /of another kind/],
  ])('that begins with %j is refused with the readable formats', async (content, reason) => {
    await expect(readDatasetBytes(Buffer.from(content, 'latin1'))).rejects.toThrow(reason);
  });
});

const python = process.env.CALIBRON_TEST_PYTHON ?? 'python3';
const xarray = spawnSync(python, ['-c', 'import xarray, netCDF4, h5netcdf']).status === 0;

test.runIf(xarray)('files are read as xarray writes them (where python3 has it)', async () => {
  const directory = mkdtempSync(join(process.env.CALIBRON_TEST_DIRECTORY ?? tmpdir(), 'xarray-'));
  const script = `
import sys, numpy as np, xarray as xr
d = xr.Dataset({'iq_re': (('time', 'state'), np.arange(6.).reshape(3, 2) / 8, {'units': 'V'})},
    coords={'time': ('time', [8., 16., 24.], {'units': 'ns'}), 'state': [0, 1], 'qubit': 'Q0', 'note': ('time', ['a', 'bb', 'c'])})
e = {'iq_re': {'zlib': True, 'shuffle': True, 'fletcher32': True, 'chunksizes': (2, 1)}}
p = {'iq_re': {'dtype': 'int16', 'scale_factor': 0.125, 'add_offset': 0., '_FillValue': -1}}
to = lambda name, data=d, **how: data.to_netcdf(sys.argv[1] + '/' + name + '.nc', **how)
to('default'); to('h5netcdf', engine='h5netcdf'); to('classic', format='NETCDF3_CLASSIC'); to('offset', format='NETCDF3_64BIT')
to('model', format='NETCDF4_CLASSIC'); to('unlimited', unlimited_dims=['time']); to('group', group='data')
to('records', format='NETCDF3_CLASSIC', unlimited_dims=['time']); to('packed', encoding=p); to('chunked', encoding=e)
to('turned', d.transpose('state', 'time')); to('falling', d.isel(time=slice(None, None, -1)))
to('microseconds', d.assign_coords(time=('time', [.008, .016, .024], {'units': 'us'})))
to('deltas', d.assign_coords(time=('time', np.array([8, 16, 24], 'timedelta64[ns]'))))
to('complex', d.assign(iq=d.iq_re + 0j).drop_vars('iq_re'), engine='h5netcdf', invalid_netcdf=True)
`;
  execFileSync(python, ['-W', 'ignore', '-c', script, directory]);
  const files = readdirSync(directory);
  expect(files).toHaveLength(15);
  for (const file of files) {
    const read = receivedDataset(await readDatasetBytes(readFileSync(join(directory, file))));
    if (typeof read === 'string') expect.fail(`${file}: ${read}`);
    expect(read.coordinates.time?.values, file).toEqual(time);
    expect(read.variables.iq_re, file).toMatchObject({
      dims: ['time', 'state'],
      values: [0, 0.125, 0.25, 0.375, 0.5, 0.625],
    });
  }
});
