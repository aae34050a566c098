import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { NetCDFReader } from 'netcdfjs';
import { describe, expect, test } from 'vitest';
import type { Dataset } from '../../../../shared/science/datasets/model.ts';
import { decodeNetcdf, encodeNetcdf, NetcdfError } from '../../../../shared/science/datasets/netcdf.ts';
import { measure } from '../../../support/measured.ts';

/** Datasets of up to three dimensions, with missing values, any doubles and any text. */
const datasets: fc.Arbitrary<Dataset> = fc
  .uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), { minLength: 1, maxLength: 7 })
  .chain((names) => {
    const dimensions = names.slice(0, Math.min(3, Math.ceil(names.length / 2)));
    const variableNames = names.slice(dimensions.length);
    return fc.tuple(...dimensions.map(() => fc.integer({ min: 1, max: 5 }))).chain((lengths) => {
      const dims = Object.fromEntries(dimensions.map((name, index) => [name, lengths[index] ?? 1]));
      const variable = (own: string[]) => {
        const length = own.reduce((product, name) => product * (dims[name] ?? 1), 1);
        const number = fc.double({ noNaN: true, noDefaultInfinity: true });
        return fc.record({
          dims: fc.constant(own),
          values: fc.array(fc.option(number, { nil: null }), { minLength: length, maxLength: length }),
          unit: fc.string(),
          long_name: fc.string({ unit: 'grapheme' }),
        });
      };
      return fc.record({
        dims: fc.constant(dims),
        coordinates: fc.record(Object.fromEntries(dimensions.map((name) => [name, variable([name])]))),
        variables: fc.record(
          Object.fromEntries(
            variableNames.map((name, index) => [
              name,
              variable(dimensions.slice(0, index % (dimensions.length + 1))),
            ]),
          ),
        ),
      });
    });
  })
  // A null character ends text in the classic format.
  .filter((dataset) => !JSON.stringify(dataset).includes('\\u0000'));

describe('a dataset as NetCDF', () => {
  test('is read back unchanged, whatever it contains', () => {
    fc.assert(
      fc.property(
        datasets,
        fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.string()),
        (dataset, attributes) => {
          fc.pre(!JSON.stringify(attributes).includes('\\u0000'));
          const decoded = decodeNetcdf(encodeNetcdf(dataset, attributes));
          expect(decoded.dataset).toEqual(dataset);
          expect(decoded.attributes).toEqual({ ...attributes });
        },
      ),
    );
  });

  test('is read by netcdfjs, with dimensions, units and long names', async () => {
    const { dataset } = await measure('CheckRabi', 'netcdf');
    const reader = new NetCDFReader(encodeNetcdf(dataset, { task_name: 'CheckRabi', shots: 2048 }));
    expect(reader.version).toBe('64-bit offset format');
    const sizes = Object.entries(dataset.coordinates).map(([name, { values }]) => ({
      name,
      size: values.length,
    }));
    expect(sizes.map(({ name }) => name)).toContain('time');
    expect(reader.dimensions).toEqual(sizes);
    expect(reader.getAttribute('task_name')).toBe('CheckRabi');
    expect(reader.getAttribute('shots')).toBe(2048);
    expect(reader.getDataVariable('iq_re')).toEqual(dataset.variables.iq_re?.values);
    const time = reader.variables.find(({ name }) => name === 'time');
    expect(time?.attributes).toEqual([
      { name: 'units', type: 'char', value: 'ns' },
      { name: 'long_name', type: 'char', value: 'Length of the control pulse' },
      { name: '_FillValue', type: 'double', value: Number.NaN },
    ]);
  });

  const python = ['xarray', 'scipy'].every(
    (module) => spawnSync('python3', ['-c', `import ${module}`]).status === 0,
  );
  test.runIf(python)("is read by Python's xarray and scipy (where python3 has both)", async () => {
    const directory = mkdtempSync(join(tmpdir(), 'netcdf-'));
    try {
      const { dataset } = await measure('CheckT1', 'netcdf');
      const values = dataset.variables.iq_im?.values ?? [];
      values[3] = null;
      const path = join(directory, 'data.nc');
      writeFileSync(path, encodeNetcdf(dataset, { title: 'T₁', shots: 1024 }));
      const script = `
import json, sys, xarray
d = xarray.open_dataset(sys.argv[1], engine='scipy')
print(json.dumps({
  'sizes': dict(d.sizes), 'title': d.attrs['title'], 'shots': d.attrs['shots'],
  'time': d.time.values.tolist(), 'units': d.time.attrs['units'], 'long_name': d.iq_re.attrs['long_name'],
  'iq_re': d.iq_re.values.tolist(), 'missing': d.iq_im.isnull().values.nonzero()[0].tolist(),
  'near': float(d.reference_re.sel(state=1)),
}))`;
      const read: unknown = JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' }));
      expect(read).toEqual({
        sizes: { time: 51, state: 2 },
        title: 'T₁',
        shots: 1024,
        time: dataset.coordinates.time?.values,
        units: 'ns',
        long_name: 'In-phase signal, averaged',
        iq_re: dataset.variables.iq_re?.values,
        missing: [3],
        near: dataset.variables.reference_re?.values[1],
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test.runIf(python)('is read from files that xarray wrote (where python3 has it)', () => {
    const directory = mkdtempSync(join(tmpdir(), 'netcdf-'));
    try {
      const path = join(directory, 'lab.nc');
      const script = `
import sys, numpy, xarray
xarray.Dataset(
  {'iq_re': ('time', numpy.array([1.5, numpy.nan, -2]), {'units': 'a.u.'}), 'counts': (('time', 'run'), numpy.arange(6, dtype='i2').reshape(3, 2))},
  coords={'time': ('time', numpy.array([0, 8, 16], dtype='i4')), 'run': ('run', [0.0, 1.0])}, attrs={'lab': 'Zürich'},
).to_netcdf(sys.argv[1], format='NETCDF3_64BIT', engine='scipy')`;
      execFileSync('python3', ['-c', script, path]);
      const { dataset, attributes } = decodeNetcdf(
        new Uint8Array(execFileSync('cat', [path], { encoding: 'buffer' })),
      );
      expect(attributes).toEqual({ lab: 'Zürich' });
      expect(dataset.coordinates.time?.values).toEqual([0, 8, 16]);
      expect(dataset.variables.iq_re).toEqual({
        dims: ['time'],
        values: [1.5, null, -2],
        unit: 'a.u.',
        long_name: '',
      });
      expect(dataset.variables.counts?.values).toEqual([0, 1, 2, 3, 4, 5]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('cannot be written when it is inconsistent or has names that the format does not know', () => {
    const time = { dims: ['time'], values: [1, 2], unit: 'ns', long_name: '' };
    const good: Dataset = { dims: { time: 2 }, coordinates: { time }, variables: {} };
    const bad: [Dataset, string][] = [
      [{ ...good, dims: { time: 3 } }, 'time has 2 values where its dimensions need 3'],
      [{ ...good, coordinates: {} }, 'the dimension time has no coordinate of its name'],
      [{ ...good, variables: { 'a b': time } }, '"a b" cannot be the name of a variable'],
      [{ ...good, variables: { time } }, 'time is both a coordinate and a variable'],
      [
        { ...good, variables: { x: { ...time, dims: ['y'] } } },
        'x uses a dimension that the dataset does not declare',
      ],
    ];
    for (const [dataset, problem] of bad) {
      expect(() => encodeNetcdf(dataset)).toThrow(
        new NetcdfError(`The dataset cannot be written: ${problem}.`),
      );
    }
    expect(() => encodeNetcdf(good, { 'a/b': 1 })).toThrow(NetcdfError);
  });
});

describe('a file that is not good NetCDF', () => {
  const dataset: Dataset = {
    dims: { time: 2 },
    coordinates: { time: { dims: ['time'], values: [1, 2], unit: 'ns', long_name: 'time' } },
    variables: { iq_re: { dims: ['time'], values: [3, null], unit: 'a.u.', long_name: 'signal' } },
  };
  const good = encodeNetcdf(dataset, { title: 'good' });

  test('is refused if it is truncated at any byte', () => {
    for (let length = 0; length < good.length; length++) {
      expect(() => decodeNetcdf(good.slice(0, length))).toThrow(NetcdfError);
    }
  });

  test('is refused or read, without another error, if any byte is damaged', () => {
    for (let position = 0; position < good.length; position++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const damaged = good.slice();
        damaged[position] = value;
        try {
          decodeNetcdf(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(NetcdfError);
        }
      }
    }
  });

  test('is refused quickly and without allocation if its header states a huge size', () => {
    const big = 0xff_ff_ff_f0;
    const headers = [
      [0x43444602, 0, 10, big],
      [0x43444602, big, 0, 0, 0, 0, 0, 0],
      [0x43444601, 0, 0, 0, 12, big],
      [0x43444601, 0, 0, 0, 12, 1, 1, 0x61000000, 6, big],
      [0x43444601, 0, 0, 0, 0, 0, 11, big],
      [0x43444601, 0, 10, 1, big, 0],
      [0x43444601, 0, 10, 1, 1, 0x61000000, big, 0, 0, 11, 1, 1, 0x61000000, 1, 0, 0, 0, 6, big, 80, 0],
    ];
    const before = process.memoryUsage().rss;
    for (const header of headers) {
      const bytes = new Uint8Array(4 * header.length + 64);
      const view = new DataView(bytes.buffer);
      for (const [index, value] of header.entries()) view.setUint32(4 * index, value);
      expect(() => decodeNetcdf(bytes)).toThrow(NetcdfError);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  test.each([
    ['something else', new TextEncoder().encode('hello, this is no data'), 'it does not begin like one'],
    [
      'NetCDF-4',
      Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a),
      'it is NetCDF-4, not NetCDF-3',
    ],
    ['CDF-3', Uint8Array.of(0x43, 0x44, 0x46, 3, 0, 0, 0, 0), 'it has the unknown version 3'],
  ])('is refused with the right reason: %s', (_, bytes, problem) => {
    expect(() => decodeNetcdf(bytes)).toThrow(
      new NetcdfError(`This is not a NetCDF file that can be read: ${problem}.`),
    );
  });
});
