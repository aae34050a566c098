import { Dataset, File, type Metadata, type OutputData, ready } from 'h5wasm';
import { type ArrayFile, type ArrayVariable, type Cell, type FirstValues, PreviewProblem } from './model.ts';

/** Type classes by their HDF5 numbers (`H5T_class_t`). */
const INTEGER = 0;
const FLOAT = 1;
const STRING = 3;
const COMPOUND = 6;
const ENUM = 8;

/** Maximum bytes that HDF5 unpacks at once to read part of a variable: a chunk, or one value. */
const MAX_PIECE_BYTES = 64 * 1024 * 1024;
/** Limit of the library's memory in WebAssembly pages (64 KiB), because compressed data may unpack to any size. */
const mostPages = (256 * 1024 * 1024) / 65_536;
/** The attribute text with which NetCDF-4 marks a dimension without an axis. */
const BARE_DIMENSION = 'This is a netCDF dimension but not a netCDF variable';

/**
 * Opens a NetCDF-4 (HDF5) file for reading the first values of the variables in its root group. The file is in memory,
 * so links to other files cannot be followed. Call it in a separate thread, because it limits the memory of all
 * WebAssembly there.
 * @throws PreviewProblem for a file that is damaged
 */
export function readHdf5<Answer>(bytes: Uint8Array, read: (file: ArrayFile) => Answer): Promise<Answer> {
  return useHdf5(bytes, (file) => read(arrayFileOf(file)));
}

/** The same, given the file's name in the library's file system. */
export async function useHdf5<Answer>(bytes: Uint8Array, use: (file: File) => Answer): Promise<Answer> {
  limitMemory();
  const { FS } = await ready;
  // The name is unique: a damaged file that stays open must not be confused with the next one.
  const path = `${++filesRead}.nc`;
  FS.writeFile(path, bytes);
  let file: File | null = null;
  try {
    file = attempt(() => new File(path, 'r'));
    if (file.file_id < 0n) throw damaged();
    return use(file);
  } finally {
    file?.close();
    FS.unlink(path);
  }
}

let filesRead = 0;

function arrayFileOf(file: File): ArrayFile {
  const datasets = new Map<string, { dataset: Dataset; kind: Kind }>();
  const variables: ArrayVariable[] = [];
  for (const name of attempt(() => file.keys())) {
    const dataset = attempt(() => file.get(name));
    if (!(dataset instanceof Dataset)) continue;
    const kind = attempt(() => kindOf(dataset));
    if (!kind) continue;
    datasets.set(name, { dataset, kind });
    variables.push(attempt(() => describe(name, dataset, kind)));
  }
  return {
    variables,
    attribute(name) {
      const value = attempt(() => (Object.hasOwn(file.attrs, name) ? file.attrs[name]?.value : null));
      return typeof value === 'string' ? value : null;
    },
    first({ name, shape }, count) {
      const found = datasets.get(name);
      if (!found) throw damaged();
      const { dataset, kind } = found;
      checkPiece(dataset.metadata);
      if (count === 0) return valuesOf([], kind);
      const read = attempt(() =>
        shape.length === 0 ? dataset.value : dataset.slice(beginning(shape, count)),
      );
      return valuesOf(listOf(read).slice(0, count), kind);
    },
  };
}

/** The presentation of a variable's values. */
type Kind = { as: 'complex' | 'bool' | 'value'; dtype: string };

function kindOf(dataset: Dataset): Kind | null {
  if (String(dataset.attrs['NAME']?.value ?? '').startsWith(BARE_DIMENSION)) return null;
  const { type, size, signed, compound_type, enum_type, shape } = dataset.metadata;
  if (shape === null) return null;
  const bits = size * 8;
  if (type === INTEGER) return { as: 'value', dtype: `${signed ? 'int' : 'uint'}${bits}` };
  if (type === FLOAT) return { as: 'value', dtype: `float${bits}` };
  if (type === STRING) return { as: 'value', dtype: 'string' };
  if (type === ENUM) {
    const isBool =
      Object.keys(enum_type?.members ?? {})
        .sort()
        .join() === 'FALSE,TRUE';
    return isBool ? { as: 'bool', dtype: 'bool' } : { as: 'value', dtype: 'enum' };
  }
  const members = compound_type?.members.map(({ name }) => name).join();
  return type === COMPOUND && members === 'r,i' ? { as: 'complex', dtype: 'complex' } : null;
}

function describe(name: string, dataset: Dataset, { dtype }: Kind): ArrayVariable {
  const shape = dataset.shape ?? [];
  const axes = shape.map(
    (_, dimension) => dataset.get_attached_scales(dimension)[0]?.replace(/^\//, '') ?? null,
  );
  return { name, shape, axes, dtype };
}

/** The smallest leading block that contains the first `count` values, in the notation of h5wasm. */
function beginning(shape: readonly number[], count: number): [number, number][] {
  let needed = count;
  return [...shape]
    .reverse()
    .map((length): [number, number] => {
      const taken = Math.min(length, needed);
      needed = Math.ceil(needed / Math.max(length, 1));
      return [0, taken];
    })
    .reverse();
}

function checkPiece({ chunks, size }: Metadata): void {
  const piece = (chunks ?? []).reduce((bytes, length) => bytes * length, size);
  if (piece > MAX_PIECE_BYTES) throw new PreviewProblem('its data is packed in pieces of more than 64 MiB');
}

function listOf(read: OutputData | null): unknown[] {
  if (Array.isArray(read)) return read;
  return ArrayBuffer.isView(read) && 'map' in read ? Array.from<unknown>(read) : [read];
}

function valuesOf(values: readonly unknown[], { as }: Kind): FirstValues {
  if (as === 'bool') return { value: values.map((value) => Number(value) !== 0) };
  if (as === 'value') return { value: values.map(cellOf) };
  // A single complex value is not wrapped in a list.
  const pairs = values.every((value) => typeof value === 'number') ? [values] : values;
  const part = (index: number) =>
    pairs.map((pair) => (Array.isArray(pair) ? Number(pair[index]) : Number.NaN));
  return { real: part(0), imag: part(1) };
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'number' ? value : typeof value === 'string' ? value.slice(0, 1000) : null;
}

function damaged(): PreviewProblem {
  return new PreviewProblem('it is damaged or not a NetCDF file');
}

/** The library's own messages refer to its source code. */
function attempt<Result>(read: () => Result): Result {
  try {
    return read();
  } catch {
    throw damaged();
  }
}

let isLimited = false;

/** Limits the growth of the library's memory: the limit of its build, 2 GiB, is too much for a thread. */
function limitMemory(): void {
  if (isLimited) return;
  isLimited = true;
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (this: WebAssembly.Memory, pages: number) {
    if (this.buffer.byteLength / 65_536 + pages > mostPages) throw new RangeError('no more memory');
    return grow.call(this, pages);
  };
}
