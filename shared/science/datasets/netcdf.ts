import { NetCDFReader } from 'netcdfjs';
import type { Dataset, DatasetVariable } from './model.ts';
import { checkNetcdfHeader } from './netcdf-header.ts';
import { countValues, datasetProblem, isDatasetName } from './rules.ts';

/** The bytes are no NetCDF-3 file that we can read, or not one of a dataset; the message is a sentence. */
export class NetcdfError extends Error {
  override name = 'NetcdfError';
}

/** What a file says about itself beside its data: text or a number for each name. */
export type NetcdfAttributes = Readonly<Record<string, string | number>>;

/** Tags and types of the classic format: https://docs.unidata.ucar.edu/nug/current/file_format_specifications.html */
const NC_DIMENSION = 10;
const NC_VARIABLE = 11;
const NC_ATTRIBUTE = 12;
const NC_CHAR = 2;
const NC_DOUBLE = 6;
const DOUBLE_BYTES = 8;
/** Sizes are 32 bits wide in the header, and nothing we store comes near. */
const LARGEST_FILE = 2 ** 31;

const text = new TextEncoder();

/** Writes big-endian items into a buffer of known size, padded to four bytes as the format wants. */
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

/** A list is its tag, its length and its items. */
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
 * Writes a dataset as NetCDF-3 with 64-bit offsets (CDF-2), which every NetCDF program reads. Coordinates are the
 * variables that are named like their dimension; all data are doubles with `units`, `long_name` and, where a value is
 * missing, the `_FillValue` NaN.
 *
 * @param attributes global attributes of the file, such as the task and the execution it comes from
 * @throws NetcdfError for an inconsistent dataset, names that the format does not know, or too much data
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

/** netcdfjs reads a byte as a character; the bytes are UTF-8. */
function decodeText(value: string): string {
  return new TextDecoder().decode(Uint8Array.from(value, (character) => character.charCodeAt(0)));
}

function textAttribute(attributes: readonly { name: string; value: unknown }[], name: string): string {
  const value = attributes.find((attribute) => attribute.name === name)?.value;
  return typeof value === 'string' ? decodeText(value) : '';
}

/**
 * Reads a NetCDF-3 file (classic or 64-bit offset) back into a dataset. The header is checked against the length of
 * the file before anything is allocated. Missing values, NaN or the variable's `_FillValue`, become null.
 *
 * @throws NetcdfError for bytes that are damaged, hand-made or hold something else than a dataset
 */
export function decodeNetcdf(bytes: Uint8Array): {
  dataset: Dataset;
  attributes: Record<string, string | number>;
} {
  const problem = checkNetcdfHeader(bytes);
  if (problem !== null) throw new NetcdfError(`This is not a NetCDF file that can be read: ${problem}.`);
  let reader: NetCDFReader;
  try {
    reader = new NetCDFReader(bytes);
    return { dataset: readDataset(reader, bytes), attributes: readAttributes(reader) };
  } catch (error) {
    if (error instanceof NetcdfError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new NetcdfError(`This is not a NetCDF file that can be read: ${reason}.`, { cause: error });
  }
}

function readAttributes(reader: NetCDFReader): Record<string, string | number> {
  const attributes = new Map<string, string | number>();
  for (const { name, value } of reader.globalAttributes ?? []) {
    if (typeof value === 'number') attributes.set(decodeText(name), value);
    if (typeof value === 'string') attributes.set(decodeText(name), decodeText(value));
  }
  return Object.fromEntries(attributes);
}

type FileVariable = NetCDFReader['variables'][number];

/** Of the type of nearly all data: the library makes a list of them, and what is large is not soon given back. */
function doublesOf(bytes: Uint8Array, { offset, size }: FileVariable): (index: number) => number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, size);
  return (index) => view.getFloat64(index * DOUBLE_BYTES);
}

function numbersOf(reader: NetCDFReader, variable: FileVariable): (index: number) => number {
  const values = reader.getDataVariable(variable);
  return (index) => {
    const value = values[index];
    return typeof value === 'number' ? value : Number.NaN;
  };
}

function readDataset(reader: NetCDFReader, bytes: Uint8Array): Dataset {
  const dimensions = (reader.dimensions ?? []).map(({ name, size }) => ({ name: decodeText(name), size }));
  const dims = Object.fromEntries(dimensions.map(({ name, size }) => [name, size]));
  const coordinates = new Map<string, DatasetVariable>();
  const variables = new Map<string, DatasetVariable>();
  for (const variable of reader.variables ?? []) {
    const name = decodeText(variable.name);
    const own: readonly { name: string; value: unknown }[] = variable.attributes;
    const missing = own.find((attribute) => attribute.name === '_FillValue')?.value;
    const names = variable.dimensions.map((id) => dimensions[id]?.name ?? '');
    const numberAt = variable.type === 'double' ? doublesOf(bytes, variable) : numbersOf(reader, variable);
    // A classic file pads small types to four bytes, which netcdfjs reads as further values.
    const values = new Array<number | null>(countValues({ dims }, names) ?? 0);
    for (let index = 0; index < values.length; index++) {
      const value = numberAt(index);
      values[index] = Number.isFinite(value) && value !== missing ? value : null;
    }
    (Object.hasOwn(dims, name) ? coordinates : variables).set(name, {
      dims: names,
      values,
      unit: textAttribute(own, 'units'),
      long_name: textAttribute(own, 'long_name'),
    });
  }
  const dataset = {
    dims,
    coordinates: Object.fromEntries(coordinates),
    variables: Object.fromEntries(variables),
  };
  const problem = datasetProblem(dataset);
  if (problem !== null) throw new NetcdfError(`The file holds no dataset: ${problem}.`);
  return dataset;
}
