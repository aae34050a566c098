import { MAX_STORED_VALUES, StoredFileProblem, type StoredVariable } from './stored-variable.ts';

/** The tags of lists: https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html */
const [NC_DIMENSION, NC_VARIABLE, NC_ATTRIBUTE] = [10, 11, 12];
const NC_CHAR = 2;
const MAX_DIMENSIONS = 32;
/** Maximum bytes of a header. Names, attributes and lists of a file with data take a small fraction of this. */
const LARGEST_HEADER = 4 * 1024 * 1024;

interface ElementType {
  /** By NumPy's name; `string` for characters. */
  name: string;
  bytes: number;
  isInteger: boolean;
  read(view: DataView, at: number): number;
}

/** The external types by their numbers; 7 to 11 exist in CDF-5 only. */
const types: Readonly<Record<number, ElementType>> = {
  1: { name: 'int8', bytes: 1, isInteger: true, read: (view, at) => view.getInt8(at) },
  2: { name: 'string', bytes: 1, isInteger: false, read: (view, at) => view.getUint8(at) },
  3: { name: 'int16', bytes: 2, isInteger: true, read: (view, at) => view.getInt16(at) },
  4: { name: 'int32', bytes: 4, isInteger: true, read: (view, at) => view.getInt32(at) },
  5: { name: 'float32', bytes: 4, isInteger: false, read: (view, at) => view.getFloat32(at) },
  6: { name: 'float64', bytes: 8, isInteger: false, read: (view, at) => view.getFloat64(at) },
  7: { name: 'uint8', bytes: 1, isInteger: true, read: (view, at) => view.getUint8(at) },
  8: { name: 'uint16', bytes: 2, isInteger: true, read: (view, at) => view.getUint16(at) },
  9: { name: 'uint32', bytes: 4, isInteger: true, read: (view, at) => view.getUint32(at) },
  10: { name: 'int64', bytes: 8, isInteger: true, read: (view, at) => Number(view.getBigInt64(at)) },
  11: { name: 'uint64', bytes: 8, isInteger: true, read: (view, at) => Number(view.getBigUint64(at)) },
};

interface HeaderVariable {
  name: string;
  dimensions: number[];
  attributes: Record<string, number | string>;
  type: number;
  begin: number;
}

/** Walks through a header, never beyond the file. Counts take 8 bytes in CDF-5 and 4 before. */
class Walk {
  private readonly view: DataView;
  private offset = 4;
  readonly version: number;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.version = bytes[3] ?? 0;
  }

  private take(length: number): number {
    const at = this.offset;
    if (!(length >= 0) || at + length > this.bytes.length) {
      throw new StoredFileProblem('it ends within its header');
    }
    if (at + length > LARGEST_HEADER)
      throw new StoredFileProblem(`its header is larger than ${LARGEST_HEADER} bytes`);
    this.offset += length;
    return at;
  }

  word(): number {
    return this.view.getUint32(this.take(4));
  }

  private long(): number {
    return Number(this.view.getBigUint64(this.take(8)));
  }

  count(): number {
    return this.version === 5 ? this.long() : this.word();
  }

  /** The location of a variable's data. */
  begin(): number {
    return this.version === 1 ? this.word() : this.long();
  }

  name(): string {
    const length = this.count();
    const at = this.take(Math.ceil(length / 4) * 4);
    return new TextDecoder().decode(this.bytes.subarray(at, at + length));
  }

  value(): number | string {
    const [number, count] = [this.word(), this.count()];
    const type = typeOf(number);
    const at = this.take(Math.ceil((count * type.bytes) / 4) * 4);
    if (number === NC_CHAR) return new TextDecoder().decode(this.bytes.subarray(at, at + count));
    return count === 1 ? type.read(this.view, at) : '';
  }

  list<Item>(tag: number, item: () => Item): Item[] {
    const [found, count] = [this.word(), this.count()];
    if (found !== tag && !(found === 0 && count === 0)) throw new StoredFileProblem('its header is damaged');
    // Each item takes eight bytes at least, so that its number can be believed.
    if (count * 8 > this.bytes.length - this.offset) {
      throw new StoredFileProblem('its header states more than the file contains');
    }
    const items: Item[] = [];
    for (let index = 0; index < count; index++) items.push(item());
    return items;
  }
}

function typeOf(number: number): ElementType {
  const type = types[number];
  if (type === undefined) throw new StoredFileProblem(`it uses the unknown type ${number}`);
  return type;
}

/** A variable of a classic file, with the values that it has the bytes for. */
export interface ClassicVariable {
  name: string;
  /** Names of its dimensions. */
  dims: string[];
  shape: number[];
  attributes: Readonly<Record<string, number | string>>;
  /** By NumPy's name; `string` for characters. */
  dtype: string;
  /** Whether the file is long enough for all of its values. */
  isWhole: boolean;
  /** Bytes of a value, and whether it is an integer. */
  type: Pick<ElementType, 'bytes' | 'isInteger'>;
  /** The value of this index, the last dimension running fastest; of characters their byte. */
  at(index: number): number;
}

/** A classic file as it is stored. */
export interface ClassicFile {
  attributes: Readonly<Record<string, number | string>>;
  variables: ClassicVariable[];
}

/**
 * Reads a classic NetCDF file: CDF-1, CDF-2 (64-bit offsets) or CDF-5 (64-bit data), also with an unlimited dimension.
 * Memory is bounded by the length of the file, not by its header.
 * @throws StoredFileProblem for a header that is damaged
 */
export function readClassicFile(bytes: Uint8Array): ClassicFile {
  if (bytes.length < 4 || String.fromCharCode(...bytes.subarray(0, 3)) !== 'CDF') {
    const isHdf5 = bytes[0] === 0x89 && String.fromCharCode(...bytes.subarray(1, 4)) === 'HDF';
    throw new StoredFileProblem(isHdf5 ? 'it is NetCDF-4, not NetCDF-3' : 'it does not begin like one');
  }
  const walk = new Walk(bytes);
  if (![1, 2, 5].includes(walk.version)) {
    throw new StoredFileProblem(`it has the unknown version ${walk.version}`);
  }
  const stated = walk.count();
  const dimensions = walk.list(NC_DIMENSION, () => ({ name: walk.name(), length: walk.count() }));
  const attributesHere = () =>
    Object.fromEntries(walk.list(NC_ATTRIBUTE, () => [walk.name(), walk.value()] as const));
  const attributes = attributesHere();
  const headers = walk.list(NC_VARIABLE, (): HeaderVariable => {
    const name = walk.name();
    const count = walk.count();
    if (count > MAX_DIMENSIONS) throw new StoredFileProblem(`it has a variable of ${count} dimensions`);
    const own = Array.from({ length: count }, () => walk.count());
    const its = attributesHere();
    const type = walk.word();
    walk.count();
    return { name, dimensions: own, attributes: its, type, begin: walk.begin() };
  });
  return { attributes, variables: placedVariables(bytes, { stated, dimensions, headers }) };
}

function placedVariables(
  bytes: Uint8Array,
  {
    stated,
    dimensions,
    headers,
  }: { stated: number; dimensions: { name: string; length: number }[]; headers: HeaderVariable[] },
): ClassicVariable[] {
  const isRecord = ({ dimensions: [first] }: HeaderVariable) =>
    first !== undefined && dimensions[first]?.length === 0;
  /** Bytes of a variable, or of one of its records. */
  const sizeOf = (header: HeaderVariable) =>
    header.dimensions
      .slice(isRecord(header) ? 1 : 0)
      .reduce((size, id) => size * (dimensions[id]?.length ?? Number.NaN), typeOf(header.type).bytes);
  const padded = (size: number) => Math.ceil(size / 4) * 4;
  const inRecords = headers.filter(isRecord);
  const [only] = inRecords;
  // A single variable of records is not padded.
  const step =
    inRecords.length === 1 && only
      ? sizeOf(only)
      : inRecords.reduce((sum, header) => sum + padded(sizeOf(header)), 0);
  const first = Math.min(...inRecords.map(({ begin }) => begin));
  // A writer that streams leaves the number of records open.
  const isOpen = stated === 2 ** 32 - 1 || stated >= 2 ** 63;
  const records = isOpen && step > 0 ? Math.floor((bytes.length - first) / step) : stated;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return headers.map((header): ClassicVariable => {
    const { name, attributes, begin } = header;
    const type = typeOf(header.type);
    const named = header.dimensions.map((id) => dimensions[id]);
    if (named.includes(undefined)) {
      throw new StoredFileProblem('a variable uses an undefined dimension');
    }
    const shape = named.map((dimension, index) =>
      index === 0 && isRecord(header) ? records : (dimension?.length ?? Number.NaN),
    );
    const size = sizeOf(header);
    const end = isRecord(header) ? begin + Math.max(0, records - 1) * step + size : begin + size;
    const width = size / type.bytes;
    return {
      name,
      dims: named.map((dimension) => dimension?.name ?? ''),
      shape,
      attributes,
      dtype: type.name,
      isWhole: end <= bytes.length || (isRecord(header) && records === 0),
      type,
      at: (index) =>
        type.read(
          view,
          isRecord(header)
            ? begin + Math.floor(index / width) * step + (index % width) * type.bytes
            : begin + index * type.bytes,
        ),
    };
  });
}

/**
 * The variables of a classic NetCDF file, as a dataset is made of them.
 * @throws StoredFileProblem for a file that is damaged
 */
export function classicVariables(bytes: Uint8Array): StoredVariable[] {
  return readClassicFile(bytes).variables.map((variable): StoredVariable => {
    const { name, dims, shape, attributes, dtype, isWhole, type, at } = variable;
    if (!isWhole) throw new StoredFileProblem('its header states more than the file contains');
    return {
      name,
      dims,
      shape,
      kind: dtype === 'string' ? 'other' : 'number',
      fillsByDefault: type.bytes >= 4,
      ...(type.isInteger && { integerBits: 8 * type.bytes }),
      attributes,
      read() {
        const count = shape.reduce((total, length) => total * length, 1);
        if (!(count <= MAX_STORED_VALUES))
          throw new StoredFileProblem(`it holds more than ${MAX_STORED_VALUES} values`);
        return Float64Array.from({ length: count }, (_, index) => at(index));
      },
    };
  });
}
