import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { readDatasetBytes } from '../../../../shared/science/datasets/dataset-bytes.ts';
import { receivedDataset } from '../../../../shared/science/datasets/received.ts';
import { StoredFileProblem } from '../../../../shared/science/datasets/stored-variable.ts';

const stores = fileURLToPath(new URL('../../../support/zarr-stores/', import.meta.url));
const fileOf = (name: string) => new Uint8Array(readFileSync(`${stores}${name}.zip`));
const names = readdirSync(stores).flatMap((file) => /^(.*)\.zip$/.exec(file)?.[1] ?? []);

const values = [0, 0.125, 0.25, 0.375, 0.5, 0.625];

describe('A zipped Zarr store that xarray wrote', () => {
  test.each(names.filter((name) => name !== 'bz2-v2'))('is read: %s', async (name) => {
    const read = receivedDataset(await readDatasetBytes(fileOf(name)));
    if (typeof read === 'string') expect.fail(read);
    expect(read.coordinates.time).toMatchObject({ values: [8, 16, 24], unit: 'ns' });
    expect(read.coordinates.state?.values).toEqual([0, 1]);
    const { iq_re: re, iq_im: im } = read.variables;
    const isTurned = re?.dims[0] === 'state';
    const turned = [0, 0.25, 0.5, 0.125, 0.375, 0.625];
    expect(re).toMatchObject({
      dims: isTurned ? ['state', 'time'] : ['time', 'state'],
      unit: expect.any(String),
    });
    expect(re?.values).toEqual(isTurned ? turned : values);
    // Signals of one quadrature get 0 as the other one.
    expect(im?.values).toEqual(values.map(() => (name.startsWith('complex') ? 1 : 0)));
    expect(Object.keys(read.variables)).not.toContain('note');
  });

  test('is refused if a variable is packed by an unknown codec, with the known ones', async () => {
    await expect(readDatasetBytes(fileOf('bz2-v2'))).rejects.toThrow(
      'its variable iq_re is packed by "numcodecs.bz2"; blosc, zstd, gzip, zlib and lz4 are read',
    );
  });

  test.each(['blosc-v2', 'gzip-v3', 'shards-v3', 'plain-v3'])(
    '%s is refused or read completely, wherever it is damaged',
    async (name) => {
      const whole = await readDatasetBytes(fileOf(name));
      for (let at = 0; at < fileOf(name).length; at += 29) {
        const damaged = fileOf(name);
        damaged[at] = (damaged[at] ?? 0) ^ 0xff;
        const read = await readDatasetBytes(damaged).catch((thrown: unknown) => thrown);
        if (read instanceof Error) expect(read, `${at}: ${read.stack}`).toBeInstanceOf(StoredFileProblem);
        else expect(read).toHaveProperty('dims', expect.objectContaining({}));
        const cut = await readDatasetBytes(fileOf(name).subarray(0, at)).catch((thrown: unknown) => thrown);
        expect(cut).toBeInstanceOf(StoredFileProblem);
      }
      expect(await readDatasetBytes(fileOf(name))).toEqual(whole);
    },
  );
});

/** The entries of a store written by xarray, with changes. */
function changed(name: string, change: (entries: Zippable) => void): Uint8Array {
  const entries: Zippable = unzipSync(fileOf(name));
  change(entries);
  return zipSync(entries, { level: 0 });
}

/** The same with another description of `iq_re`. */
function described(name: string, change: Record<string, unknown>): Uint8Array {
  const path = name.endsWith('2') ? 'iq_re/.zarray' : 'iq_re/zarr.json';
  const before: unknown = JSON.parse(strFromU8(unzipSync(fileOf(name))[path] ?? expect.fail(`no ${path}`)));
  return changed(name, (entries) => {
    entries[path] = strToU8(JSON.stringify({ ...Object(before), ...change }));
  });
}

const regular = (shape: number[]) => ({ name: 'regular', configuration: { chunk_shape: shape } });
const inShards = (configuration: Record<string, unknown>) => ({
  codecs: [
    {
      name: 'sharding_indexed',
      configuration: { codecs: [{ name: 'bytes' }], index_codecs: [{ name: 'bytes' }], ...configuration },
    },
  ],
});

describe('A zipped Zarr store that is hostile or damaged', () => {
  test.each([
    ['states a huge variable', described('plain-v2', { shape: [1e9, 1e9] }), /more than 8388608 values/],
    ['states huge chunks', described('plain-v2', { chunks: [1e9, 1e9] }), /more than 8388608 values/],
    [
      'states huge chunks in format 3',
      described('plain-v3', { chunk_grid: regular([2 ** 40, 2]) }),
      /more than 8388608 values/,
    ],
    [
      'states narrow chunks the other way',
      described('plain-v2', { shape: [1, 2 ** 23], chunks: [2 ** 23, 1] }),
      /more than 8388608 values/,
    ],
    [
      'states millions of chunks',
      described('plain-v2', { shape: [2 ** 23, 1], chunks: [1, 1] }),
      /more than 65536 chunks/,
    ],
    [
      'states millions of chunks within shards',
      described('plain-v3', {
        shape: [2 ** 22, 2],
        chunk_grid: regular([2 ** 22, 2]),
        ...inShards({ chunk_shape: [1, 1] }),
      }),
      /more than 65536 chunks/,
    ],
    [
      'has a huge description',
      described('plain-v3', { attributes: { comment: 'x'.repeat(2 ** 21) } }),
      /descriptions is too large/,
    ],
    ['states empty chunks', described('plain-v2', { chunks: [0, 1] }), /do not have its dimensions/],
    ['states chunks of another rank', described('plain-v2', { chunks: [3] }), /do not have its dimensions/],
    ['states no shape', described('plain-v2', { shape: 'all' }), /not that of Zarr 2 or 3/],
    ['states a negative length', described('plain-v3', { shape: [-3, 2] }), /not that of Zarr 2 or 3/],
    [
      'states huge chunks within shards',
      described('plain-v3', inShards({ chunk_shape: [2 ** 40, 1] })),
      /whole chunks/,
    ],
    [
      'has shards of shards',
      described('plain-v3', inShards({ chunk_shape: [1, 1], codecs: [{ name: 'sharding_indexed' }] })),
      /whole chunks/,
    ],
    [
      'states another type than its chunks have',
      described('plain-v2', { dtype: '<f4', compressor: null }),
      /cut short or too long/,
    ],
    [
      'states an unknown codec',
      described('plain-v3', { codecs: [{ name: 'bytes' }, { name: 'magic' }] }),
      /packed by "magic"/,
    ],
    [
      'has no JSON',
      changed('plain-v3', (all) => {
        all['iq_re/zarr.json'] = strToU8('{');
      }),
      /not JSON/,
    ],
    [
      'has groups beside each other',
      changed('group-v2', (all) => {
        all['two/x/.zarray'] = strToU8('{}');
      }),
      /without a Zarr store/,
    ],
    ['contains no store', zipSync({ 'readme.txt': strToU8('hello') }), /without a Zarr store in it/],
  ])('that %s is refused', async (_, bytes, reason) => {
    const read = readDatasetBytes(bytes);
    await expect(read).rejects.toThrow(reason);
    await expect(read).rejects.toBeInstanceOf(StoredFileProblem);
  });

  test('that would unpack to far more than allowed is refused before unpacking', async () => {
    const bomb = zipSync({ 'iq_re/0.0': new Uint8Array(2 ** 27) }, { level: 1 });
    expect(bomb.length).toBeLessThan(2 ** 20);
    await expect(readDatasetBytes(bomb)).rejects.toThrow(/unpacks to more than 83886080 bytes/);
  });

  test('whose archive understates a size is refused', async () => {
    const bytes = zipSync({ 'iq_re/.zarray': new Uint8Array(2 ** 20) });
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    // The size is in the central directory, 24 bytes after its signature.
    for (let at = 0; at < bytes.length - 28; at++) {
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 10, true);
    }
    await expect(readDatasetBytes(bytes)).rejects.toBeInstanceOf(StoredFileProblem);
  });

  test.each([
    ['gzip-v2', gzipSync(new Uint8Array(2 ** 24))],
    // Blosc, lz4 and zstd state their sizes at the beginning.
    ['blosc-v2', Uint8Array.of(2, 1, 1, 8, 255, 255, 255, 127, 0, 0, 0, 0, 16, 0, 0, 0)],
    ['lz4-v2', Uint8Array.of(255, 255, 255, 127, 0, 0)],
    ['zstd-v2', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xa0, 255, 255, 255, 127, 0, 0, 0)],
  ])('with a chunk of %s that unpacks to more than its size is refused', async (name, chunk) => {
    const bytes = changed(name, (all) => {
      all['iq_re/0.0'] = chunk;
    });
    await expect(readDatasetBytes(bytes)).rejects.toThrow('one of its chunks unpacks to more than its size');
  });

  test('with a packed chunk that does not state its size is refused', async () => {
    const bytes = changed('zstd-v2', (all) => {
      all['iq_re/0.0'] = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00);
    });
    await expect(readDatasetBytes(bytes)).rejects.toThrow('does not state its size');
  });

  test.each(['uncompressed-v2', 'uncompressed-v3'])('with a truncated chunk is refused: %s', async (name) => {
    const path = name.endsWith('2') ? 'iq_re/0.0' : 'iq_re/c/0/0';
    const bytes = changed(name, (all) => {
      const chunk = unzipSync(fileOf(name))[path] ?? expect.fail(`no ${path}`);
      all[path] = chunk.subarray(0, chunk.length - 8);
    });
    await expect(readDatasetBytes(bytes)).rejects.toThrow('cut short or too long');
  });

  test('with a missing chunk has no numbers there', async () => {
    const bytes = changed('blosc-v2', (all) => {
      delete all['iq_re/0.1'];
    });
    expect((await readDatasetBytes(bytes)).variables.iq_re?.values).toEqual([
      0,
      null,
      0.25,
      null,
      0.5,
      0.625,
    ]);
  });
});
