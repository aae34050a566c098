import { z } from 'zod';
import { StoredFileProblem } from './stored-variable.ts';

const length = z.number().int().nonnegative();
const lengths = z.array(length).max(32);
const attributes = z.record(z.string(), z.unknown());
/** Keeps fields that are not in the schema, because zarrita reads them. */
const open = z.looseObject;

/** `.zarray` of Zarr 2. */
const zarr2Array = open({
  shape: lengths,
  chunks: lengths,
  dtype: z.unknown(),
  fill_value: z.unknown(),
  order: z.enum(['C', 'F']).default('C'),
  filters: z.array(open({ id: z.string() })).nullish(),
});
/** `zarr.json` of Zarr 3. */
const zarr3Array = open({
  node_type: z.literal('array'),
  shape: lengths,
  data_type: z.unknown(),
  fill_value: z.unknown(),
  chunk_grid: open({ name: z.literal('regular'), configuration: open({ chunk_shape: lengths }) }),
  chunk_key_encoding: open({ name: z.string() }),
  codecs: z.array(open({ name: z.string(), configuration: attributes.optional() })),
  attributes: attributes.default({}),
  dimension_names: z.array(z.string().nullable()).nullish(),
});

/** The description of an array in a Zarr store. */
export interface ZarrArray {
  shape: number[];
  chunks: number[];
  /** Shape of the unit of reading: a chunk, or an inner chunk of a shard. */
  parts: number[];
  dims: (string | null)[];
  kind: 'number' | 'complex' | 'other';
  /** Bits of a signed integer type. */
  integerBits?: number;
  attributes: Record<string, number | string>;
  /**
   * The description for zarrita. zarrita does not support complex numbers, so they are described as real numbers with
   * an additional dimension of length 2.
   */
  description: Record<string, unknown>;
}

/** Reads `.zarray` with the `.zattrs` beside it. @throws StoredFileProblem */
export function readZarr2Array(array: unknown, zattrs: unknown): ZarrArray {
  const described = parsed(zarr2Array, array);
  const known = attributes.catch({}).parse(zattrs);
  const { kind, real, integerBits } = typeInZarr2(described.dtype);
  if (kind === 'complex' && (described.order === 'F' || (described.filters ?? []).length > 0)) {
    throw new StoredFileProblem('it stores complex numbers with filters or in the order F');
  }
  const names = z.array(z.string()).catch([]).parse(known._ARRAY_DIMENSIONS);
  return {
    shape: described.shape,
    chunks: described.chunks,
    parts: described.chunks,
    dims: described.shape.map((_, index) => names[index] ?? null),
    kind,
    ...(integerBits !== undefined && { integerBits }),
    // xarray keeps the fill value here.
    attributes: plain({ _FillValue: described.fill_value, ...known }),
    description:
      kind === 'complex'
        ? {
            ...described,
            shape: [...described.shape, 2],
            chunks: [...described.chunks, 2],
            dtype: real,
            fill_value: 'NaN',
          }
        : { ...described },
  };
}

/** Reads `zarr.json` of an array. @throws StoredFileProblem */
export function readZarr3Array(json: unknown): ZarrArray {
  const described = parsed(zarr3Array, json);
  const { chunk_shape: chunks } = described.chunk_grid.configuration;
  const { kind, real, integerBits } = typeInZarr3(described.data_type);
  const sharding = described.codecs.find(({ name }) => name === 'sharding_indexed');
  const parts = sharding === undefined ? chunks : chunksWithin(chunks, sharding.configuration);
  if (kind === 'complex' && described.codecs[0]?.name !== 'bytes') {
    throw new StoredFileProblem('it stores complex numbers in shards or in another order');
  }
  return {
    shape: described.shape,
    chunks,
    parts,
    dims: described.shape.map((_, index) => described.dimension_names?.[index] ?? null),
    kind,
    ...(integerBits !== undefined && { integerBits }),
    attributes: plain(described.attributes),
    description:
      kind === 'complex'
        ? {
            ...described,
            shape: [...described.shape, 2],
            chunk_grid: { name: 'regular', configuration: { chunk_shape: [...chunks, 2] } },
            data_type: real,
            fill_value: 'NaN',
            dimension_names: undefined,
          }
        : { ...described },
  };
}

/**
 * Shape of the inner chunks of a shard. zarrita allocates the size in the description, so it must be checked.
 * @throws StoredFileProblem if a shard does not consist of whole chunks
 */
function chunksWithin(shard: readonly number[], configuration: unknown): number[] {
  const inner = open({
    chunk_shape: lengths,
    codecs: z.array(open({ name: z.string() })),
  }).safeParse(configuration);
  const isSound =
    inner.success &&
    inner.data.chunk_shape.length === shard.length &&
    inner.data.chunk_shape.every((length, index) => length > 0 && (shard[index] ?? 0) % length === 0) &&
    inner.data.codecs.every(({ name }) => name !== 'sharding_indexed');
  if (!isSound) throw new StoredFileProblem('the shards of one of its arrays do not consist of whole chunks');
  return inner.data.chunk_shape;
}

interface ValueType {
  kind: ZarrArray['kind'];
  /** The type of both parts of a complex number. */
  real?: string;
  integerBits?: number;
}

/** The type that NumPy calls `<f8`, `>i2`, `|b1`, `<c16` and so on. */
function typeInZarr2(dtype: unknown): ValueType {
  const [, order, letter, size] = /^([<>|])([biufc])(\d+)$/.exec(String(dtype)) ?? [];
  const bytes = Number(size);
  if (letter === undefined) return { kind: 'other' };
  if (letter === 'c') return { kind: 'complex', real: `${order}f${bytes / 2}` };
  return { kind: 'number', ...(letter === 'i' && { integerBits: 8 * bytes }) };
}

function typeInZarr3(type: unknown): ValueType {
  const [, name, size] = /^(bool|int|uint|float|complex)(\d*)$/.exec(String(type)) ?? [];
  const bits = Number(size);
  if (name === undefined) return { kind: 'other' };
  if (name === 'complex') return { kind: 'complex', real: `float${bits / 2}` };
  return { kind: 'number', ...(name === 'int' && { integerBits: bits }) };
}

/** Keeps only numbers and texts. xarray writes a floating-point fill value as base64 of eight bytes. */
function plain(all: Record<string, unknown>): Record<string, number | string> {
  const kept = Object.entries(all).filter(
    (entry): entry is [string, number | string] =>
      typeof entry[1] === 'number' || typeof entry[1] === 'string',
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === '_FillValue' && typeof value === 'string' ? (numberOfBase64(value) ?? value) : value,
    ]),
  );
}

function numberOfBase64(text: string): number | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 8 && bytes.toString('base64') === text ? bytes.readDoubleLE() : null;
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw new StoredFileProblem('its description of an array is not that of Zarr 2 or 3');
  return result.data;
}
