import { NetCDFReader } from 'netcdfjs';
import { type ArrayFile, type ArrayVariable, type Cell, PreviewProblem } from './model.ts';
import { valueCount } from './table.ts';

/** Types of the classic format by netcdfjs's names, and their sizes in bytes. */
const types: Readonly<Record<string, { dtype: string; bytes: number }>> = {
  byte: { dtype: 'int8', bytes: 1 },
  char: { dtype: 'string', bytes: 1 },
  short: { dtype: 'int16', bytes: 2 },
  int: { dtype: 'int32', bytes: 4 },
  float: { dtype: 'float32', bytes: 4 },
  double: { dtype: 'float64', bytes: 8 },
};

/**
 * Reads the beginnings of the variables of a NetCDF-3 file (classic or 64-bit offset), also of files that hold more than
 * a dataset of ours: records, text, dimensions without an axis. Memory follows the file's length, whatever its header says.
 * @throws PreviewProblem for a file that is damaged
 */
export function openClassicNetcdf(bytes: Uint8Array): ArrayFile {
  const reader = attempt(() => new NetCDFReader(bytes));
  const { length: records, id: recordDimension } = reader.recordDimension;
  const dimensions = (reader.dimensions ?? []).map(({ name, size }, id) => ({
    name,
    size: id === recordDimension ? records : size,
  }));
  const stored = new Map((reader.variables ?? []).map((variable) => [variable.name, variable]));
  const variables = [...stored.values()].flatMap((variable): ArrayVariable[] => {
    const own = variable.dimensions.map((id) => dimensions[id]);
    const type = types[variable.type];
    if (!type || own.some((dimension) => dimension === undefined)) throw damaged();
    const shape = own.map((dimension) => dimension?.size ?? 0);
    const axes = own.map((dimension) => (dimension && stored.has(dimension.name) ? dimension.name : null));
    return [{ name: variable.name, shape, axes, dtype: type.dtype }];
  });

  /** Whether the file is long enough for what its header promises. */
  function isWithin({ record, offset }: { record: boolean; offset: number }, size: number): boolean {
    const length = record ? records * (reader.recordDimension.recordStep ?? 0) : offset + size;
    return length <= bytes.length;
  }

  return {
    variables,
    attribute(name) {
      const value = (reader.globalAttributes ?? []).find((attribute) => attribute.name === name)?.value;
      // netcdfjs reads a byte as a character; the bytes are UTF-8.
      return typeof value === 'string' ? Buffer.from(value, 'latin1').toString('utf8') : null;
    },
    first({ name, shape }, count) {
      const variable = stored.get(name);
      const type = types[variable?.type ?? ''];
      if (!variable || !type || !isWithin(variable, valueCount({ shape }) * type.bytes)) throw damaged();
      // netcdfjs reads as many values as it is told that there are: of a record, or of all.
      const width = variable.record ? Math.min(valueCount({ shape: shape.slice(1) }), count) : count;
      const part = { ...variable, size: width * type.bytes };
      reader.header.recordDimension = { ...reader.recordDimension, length: Math.ceil(count / width) };
      const values: Cell[] = attempt(() =>
        reader.getDataVariable(part).flatMap((record) => valuesOf(record, type.dtype)),
      );
      if (values.length < count) throw damaged();
      return { value: values.slice(0, count) };
    },
  };
}

/** netcdfjs gives the characters of a record as one text. */
function valuesOf(record: string | number | number[], dtype: string): Cell[] {
  return dtype === 'string' ? [...String(record)] : [record].flat();
}

function damaged(): PreviewProblem {
  return new PreviewProblem('it is damaged or no NetCDF file');
}

function attempt<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof PreviewProblem ? thrown : damaged();
  }
}
