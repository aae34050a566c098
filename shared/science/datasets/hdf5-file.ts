import { Dataset, type File, Group } from 'h5wasm';
import { useHdf5 } from '../previews/hdf5.ts';
import { PreviewProblem } from '../previews/model.ts';
import { MAX_STORED_VALUES, StoredFileProblem, type StoredVariable } from './stored-variable.ts';

/** Type classes by their HDF5 numbers (`H5T_class_t`). */
const [INTEGER, FLOAT, COMPOUND, ENUM] = [0, 1, 6, 8];
/**
 * Filters that the library has: deflate, shuffle, checksums, szip, n-bit and scale-offset. Data with other filters are
 * returned packed, without an error.
 */
const KNOWN_FILTERS: readonly number[] = [1, 2, 3, 4, 5, 6];
/** The attribute text with which NetCDF-4 marks a dimension without an axis. */
const BARE_DIMENSION = 'This is a netCDF dimension but not a netCDF variable';
/** Maximum depth of nested groups in which a single group with the data is searched. */
const DEEPEST_GROUP = 8;

/**
 * Reads the variables of a NetCDF-4 (HDF5) file: those of the root group, or of the only group that has variables.
 * @throws StoredFileProblem for a file that is damaged, or packed in a way that cannot be read
 */
export async function readHdf5Variables<Answer>(
  bytes: Uint8Array,
  read: (variables: StoredVariable[]) => Answer,
): Promise<Answer> {
  try {
    return await useHdf5(bytes, (file) => read(variablesOf(file)));
  } catch (thrown) {
    if (thrown instanceof PreviewProblem) throw new StoredFileProblem(thrown.message);
    throw thrown;
  }
}

function variablesOf(file: File): StoredVariable[] {
  let group: Group = file;
  for (let level = 0; level < DEEPEST_GROUP; level++) {
    const members = attempt(() => group.keys().map((name) => ({ name, member: group.get(name) })));
    const datasets = members.flatMap(({ name, member }) =>
      member instanceof Dataset ? [{ name, dataset: member }] : [],
    );
    const [only, ...others] = members.flatMap(({ member }) => (member instanceof Group ? [member] : []));
    if (datasets.length > 0 || only === undefined || others.length > 0) {
      return datasets.flatMap(({ name, dataset }) => attempt(() => variableOf(name, dataset)) ?? []);
    }
    group = only;
  }
  return [];
}

function variableOf(name: string, dataset: Dataset): StoredVariable | null {
  const attributes = attributesOf(dataset);
  if (String(attributes.NAME ?? '').startsWith(BARE_DIMENSION)) return null;
  const { type, size, signed, shape, compound_type } = dataset.metadata;
  if (shape === null) return null;
  const members = compound_type?.members.map((member) => member.name).join();
  const isComplex = type === COMPOUND && (members === 'r,i' || members === 'real,imag');
  const isNumber = type === INTEGER || type === FLOAT || type === ENUM;
  const isScale = attributes.CLASS === 'DIMENSION_SCALE';
  return {
    name,
    dims: shape.map((_, dimension) => {
      const [attached] = dataset.get_attached_scales(dimension);
      if (attached !== undefined) return attached.split('/').at(-1) ?? null;
      return isScale && shape.length === 1 ? name : null;
    }),
    shape,
    kind: isComplex ? 'complex' : isNumber ? 'number' : 'other',
    fillsByDefault: size >= 4 && type !== ENUM,
    ...(type === INTEGER && signed && { integerBits: 8 * size }),
    attributes,
    read() {
      const unknown = attempt(() => dataset.filters).find(({ id }) => !KNOWN_FILTERS.includes(id));
      if (unknown !== undefined) {
        throw new StoredFileProblem(
          `its variable ${name} is packed by the filter ${unknown.name || unknown.id}; zlib (deflate) is read`,
        );
      }
      return numbersOf(
        attempt(() => dataset.value),
        dataset,
      );
    },
  };
}

/** Keeps only numbers and texts. A list of one item becomes that item. */
function attributesOf(dataset: Dataset): Record<string, number | string> {
  const attributes: Record<string, number | string> = {};
  for (const name of Object.keys(dataset.attrs)) {
    // Attributes of a type that the library does not know are ignored.
    const value = quietly(() => dataset.attrs[name]?.value);
    const single = isListOfOne(value) ? value[0] : value;
    if (typeof single === 'bigint') attributes[name] = Number(single);
    if (typeof single === 'number' || typeof single === 'string') attributes[name] = single;
  }
  return attributes;
}

function isListOf(value: unknown): value is ArrayLike<unknown> {
  return ArrayBuffer.isView(value) && 'length' in value;
}

function isListOfOne(value: unknown): value is ArrayLike<unknown> {
  return typeof value === 'object' && value !== null && 'length' in value && value.length === 1;
}

function numbersOf(value: unknown, { metadata }: Dataset): ArrayLike<number> {
  const count = (metadata.shape ?? []).reduce((total, length) => total * length, 1);
  if (!(count <= MAX_STORED_VALUES))
    throw new StoredFileProblem(`it holds more than ${MAX_STORED_VALUES} values`);
  if (value === null || value === undefined) throw new StoredFileProblem('it is damaged');
  if (isListOf(value)) return Array.from(value, Number);
  if (Array.isArray(value)) return value.flat(Number.POSITIVE_INFINITY).map(Number);
  return [Number(value)];
}

function quietly<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The library's own messages refer to its source code. */
function attempt<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof StoredFileProblem) throw thrown;
    throw new StoredFileProblem('it is damaged, or packed by an unknown filter (zlib is known)');
  }
}
