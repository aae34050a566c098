import { File, type Group, ready } from 'h5wasm';

/** Bytes of an HDF5 file with this content, as NetCDF-4 writers make it. */
export async function hdf5(build: (file: File) => void): Promise<Uint8Array> {
  const { FS } = await ready;
  const file = new File('made.nc', 'w');
  build(file);
  file.close();
  const bytes = FS.readFile('made.nc');
  FS.unlink('made.nc');
  return bytes;
}

/** A variable of doubles, with the dimension scales that NetCDF-4 attaches. */
export function addVariable(
  group: Group,
  name: string,
  values: readonly number[],
  { shape, scales = [] }: { shape: number[]; scales?: (string | null)[] },
) {
  const dataset = group.create_dataset({ name, data: Float64Array.from(values), shape });
  for (const [dimension, scale] of scales.entries()) {
    if (scale !== null) dataset.attach_scale(dimension, scale);
  }
  return dataset;
}

/** A classic NetCDF variable; a dimension of length 0 is the record dimension. */
export interface ClassicVariable {
  name: string;
  dims: number[];
  type: 'char' | 'short' | 'double';
  values: number[] | string;
}

const types = { char: [2, 1], short: [3, 2], double: [6, 8] } as const;

/** Bytes of a classic file (CDF-1) written by the book, with what a dataset of ours never has: records and text. */
export function classic(
  dimensions: [name: string, length: number][],
  variables: ClassicVariable[],
  { attributes = {}, records = 0 }: { attributes?: Record<string, string>; records?: number } = {},
): Uint8Array {
  const isRecord = ({ dims }: ClassicVariable) => dims[0] !== undefined && dimensions[dims[0]]?.[1] === 0;
  const valuesEach = ({ dims }: ClassicVariable) =>
    dims
      .map((id) => dimensions[id]?.[1] ?? 0)
      .reduce((count, length) => count * (length === 0 ? 1 : length), 1);
  const size = (variable: ClassicVariable) => pad(valuesEach(variable) * types[variable.type][1]);
  const header = (begins: number[]) =>
    Buffer.concat([
      Buffer.from('CDF\x01', 'latin1'),
      int(records),
      list(
        10,
        dimensions.map(([name, length]) => [text(name), int(length)]),
      ),
      list(
        12,
        Object.entries(attributes).map(([name, value]) => [text(name), int(2), text(value)]),
      ),
      list(
        11,
        variables.map((variable, index) => [
          text(variable.name),
          int(variable.dims.length),
          ...variable.dims.map(int),
          int(0),
          int(0),
          int(types[variable.type][0]),
          int(size(variable)),
          int(begins[index] ?? 0),
        ]),
      ),
    ]);
  let begin = header(variables.map(() => 0)).length;
  const begins = new Map<ClassicVariable, number>();
  for (const variable of [...variables.filter((each) => !isRecord(each)), ...variables.filter(isRecord)]) {
    begins.set(variable, begin);
    begin += size(variable);
  }
  const fixed = variables.filter((each) => !isRecord(each)).map((each) => bytesOf(each, 0, valuesEach(each)));
  const recorded = Array.from({ length: records }, (_, record) =>
    variables.filter(isRecord).map((each) => bytesOf(each, record * valuesEach(each), valuesEach(each))),
  );
  return Buffer.concat([
    header(variables.map((each) => begins.get(each) ?? 0)),
    ...fixed,
    ...recorded.flat(),
  ]);
}

function bytesOf({ type, values }: ClassicVariable, from: number, count: number): Buffer {
  const width = types[type][1];
  const bytes = Buffer.alloc(pad(count * width));
  for (let index = 0; index < count; index++) {
    const value = values[from + index];
    if (typeof value === 'string') bytes.write(value, index, 'latin1');
    else if (type === 'short') bytes.writeInt16BE(value ?? 0, index * width);
    else bytes.writeDoubleBE(value ?? 0, index * width);
  }
  return bytes;
}

const pad = (length: number) => Math.ceil(length / 4) * 4;
const int = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([int(bytes.length), bytes, Buffer.alloc(pad(bytes.length) - bytes.length)]);
};
const list = (tag: number, items: Buffer[][]) =>
  Buffer.concat([int(items.length === 0 ? 0 : tag), int(items.length), ...items.flat()]);
