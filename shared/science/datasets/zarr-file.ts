import { get, isZarritaError, open } from 'zarrita';
import { MAX_STORED_VALUES, StoredFileProblem, type StoredVariable } from './stored-variable.ts';
import { guardCodecs } from './zarr-codecs.ts';
import { readZarr2Array, readZarr3Array, type ZarrArray } from './zarr-description.ts';
import { zipEntries } from './zip-entries.ts';

/** Maximum bytes of all entries: the values as doubles, and a margin for descriptions. */
const MAX_UNPACKED = 8 * MAX_STORED_VALUES + 2 ** 24;
/** Maximum depth of nested groups in which a single group with the data is searched. */
const DEEPEST_GROUP = 8;

/** An array of the store: its path and its description. */
interface PlacedArray extends ZarrArray {
  name: string;
  /** Prefix of the names of its entries. */
  prefix: string;
  format: 2 | 3;
}

/**
 * The variables of a zipped Zarr store (format 2 or 3), as `xarray.Dataset.to_zarr()` writes them: those of the root
 * group, or of the only group that has variables. All values are read at once, because zarrita reads asynchronously.
 * @throws StoredFileProblem for a file that is damaged, or packed in a way that cannot be read
 */
export async function readZarrVariables(bytes: Uint8Array): Promise<StoredVariable[]> {
  guardCodecs();
  const entries = zipEntries(bytes, MAX_UNPACKED);
  const arrays = arraysOf(entries);
  if (arrays.length === 0) throw new StoredFileProblem('it is a zip archive without a Zarr store in it');
  const numeric = arrays.filter(({ kind }) => kind !== 'other');
  const total = numeric.reduce((sum, array) => sum + storedValues(array), 0);
  if (!(total <= MAX_STORED_VALUES)) {
    throw new StoredFileProblem(`its chunks hold more than ${MAX_STORED_VALUES} values`);
  }
  const variables: StoredVariable[] = [];
  for (const array of arrays) {
    const values = array.kind === 'other' ? [] : await valuesOf(array, entries);
    const { name, dims, shape, kind, integerBits, attributes } = array;
    variables.push({
      ...{ name, dims, shape, kind, attributes, fillsByDefault: false, read: () => values },
      ...(integerBits !== undefined && { integerBits }),
    });
  }
  return variables;
}

/** Names of the files that describe an array, by format. */
const DESCRIPTIONS = ['.zarray', 'zarr.json'] as const;
/** Maximum bytes of a description. That of an array has a few hundred. */
const LARGEST_DESCRIPTION = 2 ** 20;

function arraysOf(entries: ReadonlyMap<string, Uint8Array>): PlacedArray[] {
  const found = [...entries.keys()].flatMap((path) => {
    const file = DESCRIPTIONS.find((each) => path.endsWith(`/${each}`));
    if (file === undefined) return [];
    const prefix = path.slice(0, -file.length);
    const group = prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1);
    const json = jsonOf(entries.get(path));
    // Groups also have a zarr.json.
    if (file === 'zarr.json' && isGroup(json)) return [];
    return [{ group, name: prefix.slice(group.length, -1), prefix, file, json }];
  });
  const group = groupOf(new Set(found.map((each) => each.group)));
  return found.flatMap(({ group: own, name, prefix, file, json }): PlacedArray[] => {
    if (own !== group) return [];
    return file === '.zarray'
      ? [{ ...readZarr2Array(json, jsonOf(entries.get(`${prefix}.zattrs`))), name, prefix, format: 2 }]
      : [{ ...readZarr3Array(json), name, prefix, format: 3 }];
  });
}

/** The group to read: the outermost one with arrays, if no other group is beside it. */
function groupOf(groups: ReadonlySet<string>): string | undefined {
  let group = '';
  for (let level = 0; level < DEEPEST_GROUP && !groups.has(group); level++) {
    const inside = [...groups].flatMap((each) => each.slice(group.length).split('/')[0] ?? []);
    const [only, ...others] = new Set(inside);
    if (only === undefined || others.length > 0) return undefined;
    group += `${only}/`;
  }
  return group;
}

function isGroup(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'node_type' in json && json.node_type === 'group';
}

function jsonOf(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined) return undefined;
  if (bytes.length > LARGEST_DESCRIPTION) throw new StoredFileProblem('one of its descriptions is too large');
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new StoredFileProblem('one of its descriptions is not JSON');
  }
}

/** Maximum number of chunks of an array. All chunks are requested at once, including missing ones. */
const MAX_CHUNKS = 65_536;

/** Number of values in all chunks of an array, including the parts of chunks beyond its ends. */
function storedValues({ shape, chunks, parts, kind }: ZarrArray): number {
  if (chunks.length !== shape.length || chunks.some((length) => length === 0)) {
    throw new StoredFileProblem('the chunks of one of its arrays do not have its dimensions');
  }
  const count = product(shape.map((length, index) => Math.ceil(length / (parts[index] ?? 1))));
  const values = shape.reduce(
    (total, length, index) => {
      const chunk = chunks[index] ?? 1;
      return total * Math.ceil(length / chunk) * chunk;
    },
    kind === 'complex' ? 2 : 1,
  );
  if (values <= MAX_STORED_VALUES && count > MAX_CHUNKS) {
    throw new StoredFileProblem(`one of its arrays has more than ${MAX_CHUNKS} chunks`);
  }
  return values;
}

async function valuesOf(array: PlacedArray, entries: ReadonlyMap<string, Uint8Array>): Promise<number[]> {
  const { name, shape, format } = array;
  if (product(shape) === 0) return [];
  try {
    const store = storeOf(array, entries);
    const opened =
      format === 2 ? await open.v2(store, { kind: 'array' }) : await open.v3(store, { kind: 'array' });
    const chunkAt = opened.getChunk.bind(opened);
    opened.getChunk = async (...of) => {
      const chunk = await chunkAt(...of);
      // Missing values of a chunk would become 0.
      if (chunk.data.length === product(chunk.shape)) return chunk;
      throw new StoredFileProblem(`one of the chunks of its variable ${name} is cut short or too long`);
    };
    const read: unknown = await get(opened);
    return isChunk(read) ? inOrder(read) : [Number(read)];
  } catch (thrown) {
    throw problemOf(name, thrown);
  }
}

function product(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total * length, 1);
}

/** The files of one array that zarrita reads. */
function storeOf(
  { prefix, format, description, kind, shape }: PlacedArray,
  entries: ReadonlyMap<string, Uint8Array>,
) {
  const described = new TextEncoder().encode(JSON.stringify(description));
  const hasOwnName = kind !== 'complex' || (format === 2 && shape.length === 0);
  const bytesOf = (key: string): Uint8Array | undefined => {
    if (key === '/.zarray' || key === '/zarr.json') return described;
    if (key === '/.zattrs') return undefined;
    // The additional dimension for complex numbers has one chunk.
    return entries.get(prefix + (hasOwnName ? key : key.replace(/[./]0$/, '')).slice(1));
  };
  return {
    async get(key: string) {
      return bytesOf(key);
    },
    async getRange(key: string, range: { offset: number; length: number } | { suffixLength: number }) {
      const all = bytesOf(key);
      if (all === undefined) return undefined;
      const [from, length] =
        'suffixLength' in range
          ? [all.length - range.suffixLength, range.suffixLength]
          : [range.offset, range.length];
      if (!(from >= 0 && length >= 0 && from + length <= all.length)) {
        throw new StoredFileProblem('one of its shards is damaged');
      }
      return all.subarray(from, from + length);
    },
  };
}

interface ReadChunk {
  data: Iterable<unknown> & ArrayLike<unknown>;
  shape: number[];
  stride: number[];
}

function isChunk(value: unknown): value is ReadChunk {
  return typeof value === 'object' && value !== null && 'data' in value && 'stride' in value;
}

/** The values in row-major order, independent of their order in memory. */
function inOrder({ data, shape, stride }: ReadChunk): number[] {
  const values = Array.from(data, Number);
  let expected = 1;
  const isPlain = shape.toReversed().every((length, index) => {
    const fits = stride[shape.length - 1 - index] === expected;
    expected *= length;
    return fits;
  });
  if (isPlain) return values;
  return values.map((_, position) => {
    let [left, at] = [position, 0];
    for (let dimension = shape.length - 1; dimension >= 0; dimension--) {
      const length = shape[dimension] ?? 1;
      at += (left % length) * (stride[dimension] ?? 0);
      left = Math.floor(left / length);
    }
    return values[at] ?? Number.NaN;
  });
}

/** zarrita's own messages are written for programmers. */
function problemOf(name: string, thrown: unknown): StoredFileProblem {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof StoredFileProblem) return error;
    if (isZarritaError(error, 'UnknownCodecError')) {
      const codec = JSON.stringify(error.codec);
      return new StoredFileProblem(
        `its variable ${name} is packed by ${codec}; blosc, zstd, gzip, zlib and lz4 are read`,
      );
    }
  }
  return new StoredFileProblem(`its variable ${name} is damaged, or of a type that cannot be read`);
}
