/** Sizes of the types 1 (byte) to 6 (double) of the classic format, in bytes. */
const TYPE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 4, 8];
const NC_DIMENSION = 10;
const NC_VARIABLE = 11;
const NC_ATTRIBUTE = 12;
const SHORT = 3;
const MOST_DIMENSIONS_OF_A_VARIABLE = 32;
/** Names, attributes and lists of a file that holds data take a small part of this. */
const LARGEST_HEADER = 4 * 1024 * 1024;
/** Small types unpack to numbers of eight bytes; these are the values of a file of 64 MB of doubles. */
const MOST_VALUES = 2 ** 23;

/** What is wrong with a header; never leaves this file. */
class HeaderProblem extends Error {}

/** Walks through the header, and never beyond the file. */
class HeaderWalk {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private offset = 4;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  integer(): number {
    if (this.offset + 4 > this.bytes.length) throw new HeaderProblem('it ends within its header');
    const value = this.view.getUint32(this.offset);
    this.offset += 4;
    return value;
  }

  skip(length: number): void {
    const next = this.offset + Math.ceil(length / 4) * 4;
    if (next > this.bytes.length) throw new HeaderProblem('it ends within its header');
    if (next > LARGEST_HEADER) throw new HeaderProblem(`its header is larger than ${LARGEST_HEADER} bytes`);
    this.offset = next;
  }

  name(): string {
    const length = this.integer();
    const start = this.offset;
    this.skip(length);
    return new TextDecoder().decode(this.bytes.subarray(start, start + length));
  }

  /** Walks through a list whose items take at least `smallest` bytes, so that its length can be believed. */
  list(tag: number, smallest: number, item: () => void): void {
    const found = this.integer();
    const count = this.integer();
    if (found !== tag && !(found === 0 && count === 0)) throw new HeaderProblem('its header is damaged');
    if (count * smallest > Math.min(this.bytes.length, LARGEST_HEADER) - this.offset) {
      throw new HeaderProblem('its header promises more than the file holds');
    }
    for (let index = 0; index < count; index++) item();
  }
}

function distinct(names: Set<string>, name: string): void {
  if (names.has(name)) throw new HeaderProblem(`it names ${JSON.stringify(name.slice(0, 60))} twice`);
  names.add(name);
}

function typeBytes(type: number): number {
  const bytes = TYPE_BYTES[type];
  if (bytes === undefined || bytes === 0) throw new HeaderProblem(`it uses the unknown type ${type}`);
  return bytes;
}

function walkAttributes(walk: HeaderWalk): void {
  const names = new Set<string>();
  walk.list(NC_ATTRIBUTE, 12, () => {
    distinct(names, walk.name());
    const type = typeBytes(walk.integer());
    walk.skip(walk.integer() * type);
  });
}

function walk(bytes: Uint8Array): void {
  if (bytes.length < 8 || String.fromCharCode(...bytes.subarray(0, 3)) !== 'CDF') {
    const isHdf5 = bytes[0] === 0x89 && String.fromCharCode(...bytes.subarray(1, 4)) === 'HDF';
    throw new HeaderProblem(isHdf5 ? 'it is NetCDF-4, not NetCDF-3' : 'it does not begin like one');
  }
  const version = bytes[3];
  if (version !== 1 && version !== 2) throw new HeaderProblem(`it has the unknown version ${version}`);
  const header = new HeaderWalk(bytes);
  if (header.integer() !== 0) throw new HeaderProblem('it has records, which no dataset uses');

  const lengths: number[] = [];
  const dimensionNames = new Set<string>();
  header.list(NC_DIMENSION, 8, () => {
    distinct(dimensionNames, header.name());
    const length = header.integer();
    if (length === 0) throw new HeaderProblem('it has a dimension without length');
    lengths.push(length);
  });
  walkAttributes(header);

  const variableNames = new Set<string>();
  let promised = 0;
  let values = 0;
  header.list(NC_VARIABLE, 28, () => {
    distinct(variableNames, header.name());
    const dimensionality = header.integer();
    if (dimensionality > MOST_DIMENSIONS_OF_A_VARIABLE) {
      throw new HeaderProblem(`it has a variable of ${dimensionality} dimensions`);
    }
    let count = 1;
    for (let index = 0; index < dimensionality; index++) {
      const length = lengths[header.integer()];
      if (length === undefined) throw new HeaderProblem('a variable uses a dimension that is not there');
      count *= length;
    }
    walkAttributes(header);
    const type = header.integer();
    const size = typeBytes(type) * count;
    if (type < SHORT) throw new HeaderProblem('a variable holds text or bytes instead of numbers');
    values += count;
    if (values > MOST_VALUES) throw new HeaderProblem(`it holds more than ${MOST_VALUES} values`);
    const stated = header.integer();
    if (stated !== Math.ceil(size / 4) * 4) throw new HeaderProblem('the size of a variable does not fit it');
    const high = version === 2 ? header.integer() : 0;
    const begin = high * 2 ** 32 + header.integer();
    if (begin + size > bytes.length) throw new HeaderProblem('its header promises more than the file holds');
    // Variables that lie over each other would let a small file unpack into a huge one.
    promised += size;
    if (promised > bytes.length) throw new HeaderProblem('its variables overlap');
  });
}

/**
 * Checks that a NetCDF-3 header is whole and promises nothing that the file does not hold, so that a reader which
 * believes the header allocates no more than a small multiple of the file's length.
 *
 * @returns what is wrong, as the end of a sentence, or null
 */
export function checkNetcdfHeader(bytes: Uint8Array): string | null {
  try {
    walk(bytes);
    return null;
  } catch (error) {
    if (error instanceof HeaderProblem) return error.message;
    throw error;
  }
}
