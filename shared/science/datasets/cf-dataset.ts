import type { Dataset, DatasetVariable } from './model.ts';
import { datasetProblem, isDatasetName } from './rules.ts';
import { MAX_STORED_VALUES, StoredFileProblem, type StoredVariable } from './stored-variable.ts';

/** Dimensions that only count. Without an axis their values are 0, 1, 2, … */
const COUNTING: readonly string[] = ['shot', 'repetition', 'trial', 'run'];
/** The default fill values of netCDF, for floating-point and large integer types. */
const DEFAULT_FILLS: readonly number[] = [9.969209968386869e36, -2147483647, -(2 ** 63)];
/** `seconds since 2026-01-01`, as xarray encodes times. */
const SINCE = /^\s*([A-Za-zµμ]+)\s+since\s/;

/**
 * Makes a dataset of the variables of a file. Decodes the CF conventions as xarray does (scale_factor, add_offset,
 * _FillValue, missing_value, _Unsigned, times since a date). Skips texts and variables whose names no analysis can use.
 * Complex variables become pairs `<name>_re`, `<name>_im`.
 * @param unusedAxes whether to keep axes that no variable uses, which a lab's file may have
 * @throws StoredFileProblem
 */
export function datasetOf(
  stored: readonly StoredVariable[],
  { unusedAxes = false }: { unusedAxes?: boolean } = {},
): Dataset {
  const total = stored.reduce((sum, { kind, shape }) => sum + (kind === 'other' ? 0 : product(shape)), 0);
  if (!(total <= MAX_STORED_VALUES)) {
    throw new StoredFileProblem(`it holds more than ${MAX_STORED_VALUES} values`);
  }
  const usable = stored.filter(
    ({ name, kind, dims }) =>
      kind !== 'other' && isDatasetName(name) && dims.every((dim) => dim !== null && isDatasetName(dim)),
  );
  const dims = new Map<string, number>();
  const coordinates = new Map<string, DatasetVariable>();
  const variables = new Map<string, DatasetVariable>();
  const isAxis = ({ name, dims: own }: StoredVariable) => own.length === 1 && own[0] === name;
  const used = new Set(usable.filter((each) => !isAxis(each)).flatMap(({ dims: own }) => own));
  for (const variable of usable) {
    const own = variable.dims.flatMap((dim) => dim ?? []);
    if (isAxis(variable) && !unusedAxes && !used.has(variable.name)) continue;
    for (const [index, dim] of own.entries()) {
      const length = variable.shape[index] ?? 0;
      if (length === 0) throw new StoredFileProblem(`its dimension ${dim} has no length`);
      if ((dims.get(dim) ?? length) !== length) {
        throw new StoredFileProblem(`its variables disagree about the length of ${dim}`);
      }
      dims.set(dim, length);
    }
    for (const [name, decoded] of decodedParts(variable, own)) {
      (isAxis(variable) ? coordinates : variables).set(name, decoded);
    }
  }
  if (coordinates.size + variables.size === 0)
    throw new StoredFileProblem('it holds no variables of numbers');
  for (const [dim, length] of dims) {
    if (coordinates.has(dim) || !COUNTING.includes(dim)) continue;
    const values = Array.from({ length }, (_, index) => index);
    coordinates.set(dim, { dims: [dim], values, unit: '', long_name: '' });
  }
  const dataset = {
    dims: Object.fromEntries(dims),
    coordinates: Object.fromEntries(coordinates),
    variables: Object.fromEntries(variables),
  };
  const problem = datasetProblem(dataset);
  if (problem !== null) throw new StoredFileProblem(`it holds no dataset, since ${problem}`);
  return dataset;
}

function decodedParts(variable: StoredVariable, dims: string[]): [string, DatasetVariable][] {
  const { name, kind, attributes } = variable;
  const count = product(variable.shape);
  const raw = variable.read();
  const decode = decoderOf(variable);
  const { unit, values } = sinceTheFirst(
    text(attributes.units),
    Array.from({ length: kind === 'complex' ? 2 * count : count }, (_, index) => decode(raw[index])),
  );
  const described = { dims, unit, long_name: text(attributes.long_name) };
  if (kind !== 'complex') return [[name, { ...described, values }]];
  const part = (offset: number) => values.filter((_, index) => index % 2 === offset);
  return [
    [`${name}_re`, { ...described, values: part(0) }],
    [`${name}_im`, { ...described, values: part(1) }],
  ];
}

/** Decodes a stored number; null if it means a missing value. */
function decoderOf({ attributes, fillsByDefault, integerBits = 0 }: StoredVariable) {
  const fills = [attributes._FillValue, attributes.missing_value].filter((fill) => typeof fill === 'number');
  const missing = new Set<number>(fills.length === 0 && fillsByDefault ? DEFAULT_FILLS : fills);
  const scale = typeof attributes.scale_factor === 'number' ? attributes.scale_factor : 1;
  const offset = typeof attributes.add_offset === 'number' ? attributes.add_offset : 0;
  const isUnsigned = String(attributes._Unsigned).toLowerCase() === 'true';
  return (stored: number | undefined): number | null => {
    if (stored === undefined || !Number.isFinite(stored) || missing.has(stored)) return null;
    const number = isUnsigned && stored < 0 ? stored + 2 ** integerBits : stored;
    const scaled = scale === 1 ? number : number * scale;
    const meant = offset === 0 ? scaled : scaled + offset;
    return Number.isFinite(meant) ? meant : null;
  };
}

/** Converts times since a date to times since the first value. */
function sinceTheFirst(unit: string, values: (number | null)[]): { unit: string; values: (number | null)[] } {
  const [, step] = SINCE.exec(unit) ?? [];
  if (step === undefined) return { unit, values };
  const first = values.find((value) => value !== null) ?? 0;
  return { unit: step, values: values.map((value) => (value === null ? null : value - first)) };
}

function text(value: number | string | undefined): string {
  return typeof value === 'string' ? value.replaceAll('\0', '') : '';
}

function product(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total * length, 1);
}
