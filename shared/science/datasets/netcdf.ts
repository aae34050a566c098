import { datasetOf } from './cf-dataset.ts';
import { classicVariables, readClassicFile } from './classic-file.ts';
import type { Dataset, DatasetVariable } from './model.ts';
import { datasetProblem, isDatasetName } from './rules.ts';
import { StoredFileProblem } from './stored-variable.ts';

/** The bytes are not a readable NetCDF-3 file with a dataset. The message gives the reason. */
export class NetcdfError extends Error {
  override name = 'NetcdfError';
}

/** Attributes of a file: texts and numbers by name. */
export type NetcdfAttributes = Readonly<Record<string, string | number>>;

/** Tags and types of the classic format: https://docs.unidata.ucar.edu/nug/current/file_format_specifications.html */
const NC_DIMENSION = 10;
const NC_VARIABLE = 11;
const NC_ATTRIBUTE = 12;
const NC_CHAR = 2;
const NC_DOUBLE = 6;
const DOUBLE_BYTES = 8;
/** Limit of sizes, which have 32 bits in the header. Our files are far smaller. */
const LARGEST_FILE = 2 ** 31;

const text = new TextEncoder();

/** Writes big-endian items into a buffer of known size, padded to four bytes as the format requires. */
class Writer {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  private offset = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.view = new DataView(this.bytes.buffer);
  }

  integer(value: number): void {
    this.view.setUint32(this.offset, value);
    this.offset += 4;
  }

  double(value: number): void {
    this.view.setFloat64(this.offset, value);
    this.offset += DOUBLE_BYTES;
  }

  characters(value: string): void {
    const encoded = text.encode(value);
    this.integer(encoded.length);
    this.bytes.set(encoded, this.offset);
    this.offset += padded(encoded.length);
  }
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function characterBytes(value: string): number {
  return 4 + padded(text.encode(value).length);
}

function attributeBytes([name, value]: [string, string | number]): number {
  return characterBytes(name) + 4 + (typeof value === 'string' ? characterBytes(value) : 4 + DOUBLE_BYTES);
}

/** Size of a list, which consists of a tag, a length and its items. */
function listBytes(items: readonly number[]): number {
  return items.reduce((sum, bytes) => sum + bytes, 8);
}

function writeList<T>(writer: Writer, tag: number, items: readonly T[], write: (item: T) => void): void {
  writer.integer(items.length === 0 ? 0 : tag);
  writer.integer(items.length);
  for (const item of items) write(item);
}

function writeAttributes(writer: Writer, attributes: readonly [string, string | number][]): void {
  writeList(writer, NC_ATTRIBUTE, attributes, ([name, value]) => {
    writer.characters(name);
    if (typeof value === 'string') {
      writer.integer(NC_CHAR);
      writer.characters(value);
    } else {
      writer.integer(NC_DOUBLE);
      writer.integer(1);
      writer.double(value);
    }
  });
}

interface PlacedVariable {
  name: string;
  variable: DatasetVariable;
  attributes: [string, string | number][];
  bytes: number;
}

/**
 * Writes a dataset as NetCDF-3 with 64-bit offsets (CDF-2), which every NetCDF program reads. Coordinates are variables
 * with the name of their dimension. All data are doubles with `units` and `long_name`; variables with missing values
 * also have the `_FillValue` NaN.
 *
 * @param attributes global attributes of the file, such as its task and execution
 * @throws NetcdfError for an inconsistent dataset, names that the format does not allow, or too much data
 */
export function encodeNetcdf(dataset: Dataset, attributes: NetcdfAttributes = {}): Uint8Array {
  const problem = datasetProblem(dataset);
  if (problem !== null) throw new NetcdfError(`The dataset cannot be written: ${problem}.`);
  const badName = Object.keys(attributes).find((name) => !isDatasetName(name));
  if (badName !== undefined)
    throw new NetcdfError(`${JSON.stringify(badName)} cannot be the name of an attribute.`);
  const dimensions = Object.entries(dataset.dims);
  const globals = Object.entries(attributes);
  const variables: PlacedVariable[] = [
    ...Object.entries(dataset.coordinates),
    ...Object.entries(dataset.variables),
  ].map(([name, variable]) => ({
    name,
    variable,
    attributes: [
      ['units', variable.unit],
      ['long_name', variable.long_name],
      ['_FillValue', Number.NaN],
    ],
    bytes: variable.values.length * DOUBLE_BYTES,
  }));

  const headerBytes =
    8 +
    listBytes(dimensions.map(([name]) => characterBytes(name) + 4)) +
    listBytes(globals.map(attributeBytes)) +
    listBytes(
      variables.map(
        ({ name, variable, attributes: own }) =>
          characterBytes(name) + 4 + 4 * variable.dims.length + listBytes(own.map(attributeBytes)) + 16,
      ),
    );
  const totalBytes = variables.reduce((sum, { bytes }) => sum + bytes, headerBytes);
  if (totalBytes > LARGEST_FILE) throw new NetcdfError(`${totalBytes} bytes are too much for one file.`);

  const writer = new Writer(totalBytes);
  writer.integer(0x43444602); // "CDF", version 2
  writer.integer(0); // no records
  writeList(writer, NC_DIMENSION, dimensions, ([name, length]) => {
    writer.characters(name);
    writer.integer(length);
  });
  writeAttributes(writer, globals);
  let begin = headerBytes;
  const dimensionIds = new Map(dimensions.map(([name], index) => [name, index]));
  writeList(writer, NC_VARIABLE, variables, ({ name, variable, attributes: own, bytes }) => {
    writer.characters(name);
    writer.integer(variable.dims.length);
    for (const dimension of variable.dims) writer.integer(dimensionIds.get(dimension) ?? 0);
    writeAttributes(writer, own);
    writer.integer(NC_DOUBLE);
    writer.integer(bytes);
    writer.integer(0); // high half of the offset
    writer.integer(begin);
    begin += bytes;
  });
  for (const { variable } of variables) {
    for (const value of variable.values) writer.double(value ?? Number.NaN);
  }
  return writer.bytes;
}

/**
 * Reads a classic NetCDF file back into a dataset, and the global attributes that are texts or single numbers. Missing
 * values, NaN or the variable's `_FillValue`, become null.
 *
 * @throws NetcdfError if the bytes are damaged or do not contain a dataset
 */
export function decodeNetcdf(bytes: Uint8Array): {
  dataset: Dataset;
  attributes: Record<string, string | number>;
} {
  try {
    const dataset = datasetOf(classicVariables(bytes), { unusedAxes: true });
    return { dataset, attributes: { ...readClassicFile(bytes).attributes } };
  } catch (error) {
    if (!(error instanceof StoredFileProblem)) throw error;
    throw new NetcdfError(`This is not a NetCDF file that can be read: ${error.message}.`, { cause: error });
  }
}
