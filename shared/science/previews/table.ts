import { z } from 'zod';
import {
  type ArrayFile,
  type ArrayVariable,
  type ArtifactPreview,
  type Cell,
  type FirstValues,
  PREVIEW_ROWS,
  PreviewProblem,
} from './model.ts';

/** Prefix of variables that are axes. The name of the dimension follows. */
const AXIS_PREFIX = 'axes_';

/** Description of the data, which measurement software writes to the attribute `payload_json`. */
const payload = z.object({
  target: z.union([z.string(), z.number().transform(String)]).nullish(),
  source_type: z.string().nullish(),
});

/**
 * The beginning of a file's data as a table. The data is the variable `data`, else the largest that is not an axis; a pair
 * `<name>_re`, `<name>_im` is one complex variable.
 * @throws PreviewProblem when there is nothing to show
 */
export function previewOf(file: ArrayFile, filename: string): ArtifactPreview {
  const data = dataOf(file);
  const total = valueCount(data);
  if (![total, ...data.shape].every(Number.isSafeInteger)) {
    throw new PreviewProblem('it states more values than can be counted');
  }
  const count = Math.min(total, PREVIEW_ROWS);
  const values = valuesOf(file, data, count);
  const axes = axesOf(file, data);
  const columns = distinct([...axes.map(({ name }) => name), ...values.map(({ name }) => name)]);
  const steps = data.shape.map((_, dimension) => product(data.shape.slice(dimension + 1)));
  const rows = Array.from({ length: count }, (_, row) => {
    const places = axes.map(({ at }, dimension) => {
      return at(Math.floor(row / (steps[dimension] ?? 1)) % (data.shape[dimension] ?? 1));
    });
    const cells = [...places, ...values.map(({ cells }) => cells[row] ?? null)];
    return Object.fromEntries(columns.map((column, index) => [column, plain(cells[index] ?? null)]));
  });
  return {
    filename,
    ...originOf(file),
    shape: [...data.shape],
    dtype: values.length > 1 ? 'complex' : data.dtype,
    columns,
    rows,
    total_rows: total,
    truncated: total > count,
  };
}

function dataOf(file: ArrayFile): ArrayVariable {
  const named = file.variables.find(({ name }) => name === 'data');
  if (named) return named;
  const isAxis = ({ name }: ArrayVariable) =>
    name.startsWith(AXIS_PREFIX) || file.variables.some(({ axes }) => axes.includes(name));
  const numbers = file.variables.filter(({ dtype }) => dtype !== 'string');
  const candidates = [numbers.filter((variable) => !isAxis(variable)), numbers, file.variables];
  const [first] = candidates.find(({ length }) => length > 0)?.toSorted(bySize) ?? [];
  if (!first) throw new PreviewProblem('it holds no variables that a table can show');
  return first;
}

function bySize(a: ArrayVariable, b: ArrayVariable): number {
  return valueCount(b) - valueCount(a);
}

/** The value columns. */
function valuesOf(file: ArrayFile, data: ArrayVariable, count: number): { name: string; cells: Cell[] }[] {
  const own = file.first(data, count);
  const partner = partnerOf(file, data);
  const complex = 'real' in own ? own : partner && pairOf(data, own, file.first(partner, count));
  if (!complex) return 'value' in own ? [{ name: 'value', cells: own.value }] : [];
  const { real, imag } = complex;
  return [
    { name: 'real', cells: real },
    { name: 'imag', cells: imag },
    { name: 'abs', cells: real.map((part, index) => Math.hypot(part, imag[index] ?? Number.NaN)) },
  ];
}

/** The other half of a complex variable that is stored as `<name>_re` and `<name>_im`. */
function partnerOf(file: ArrayFile, { name, shape }: ArrayVariable): ArrayVariable | undefined {
  const half = /^(.*)_(re|im)$/.exec(name);
  if (!half) return undefined;
  const wanted = `${half[1]}_${half[2] === 're' ? 'im' : 're'}`;
  return file.variables.find((other) => other.name === wanted && other.shape.join() === shape.join());
}

function pairOf({ name }: ArrayVariable, own: FirstValues, other: FirstValues) {
  if (!('value' in own) || !('value' in other)) return undefined;
  const [mine, its] = [own.value, other.value].map((cells) => cells.map(Number));
  if (!mine || !its) return undefined;
  return name.endsWith('_re') ? { real: mine, imag: its } : { real: its, imag: mine };
}

/**
 * A column for each dimension: the axis that the file names; otherwise the next unused variable `axes_<name>` of the
 * same length; otherwise the index.
 */
function axesOf(file: ArrayFile, data: ArrayVariable): { name: string; at(index: number): Cell }[] {
  const taken = new Set<string>();
  return data.shape.map((length, dimension) => {
    const isFree = ({ name, shape }: ArrayVariable) =>
      !taken.has(name) && shape.length === 1 && shape[0] === length && name !== data.name;
    const axis =
      file.variables.find((variable) => variable.name === data.axes[dimension] && isFree(variable)) ??
      file.variables.find((variable) => variable.name.startsWith(AXIS_PREFIX) && isFree(variable));
    const values = axis && file.first(axis, Math.min(length, PREVIEW_ROWS));
    if (!axis || !values || !('value' in values)) return { name: `index_${dimension}`, at: (index) => index };
    taken.add(axis.name);
    const name = axis.name.startsWith(AXIS_PREFIX) ? axis.name.slice(AXIS_PREFIX.length) : axis.name;
    return { name, at: (index) => values.value[index] ?? null };
  });
}

function originOf(file: ArrayFile): Pick<ArtifactPreview, 'target' | 'source_type'> {
  const payloadResult = payload.safeParse(parsed(file.attribute('payload_json')));
  const { target, source_type } = payloadResult.success ? payloadResult.data : {};
  return { target: target ?? file.attribute('qid'), source_type: source_type ?? null };
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? {} : JSON.parse(text);
  } catch {
    return {}; // written by other software, so it may contain anything
  }
}

function plain(cell: Cell): Cell {
  if (typeof cell !== 'number' || Number.isFinite(cell)) return cell;
  return Number.isNaN(cell) ? 'nan' : cell > 0 ? 'inf' : '-inf';
}

function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let count = 2; taken.has(own); count++) own = `${name}_${count}`;
    taken.add(own);
    return own;
  });
}

function product(numbers: readonly number[]): number {
  return numbers.reduce((result, each) => result * each, 1);
}

/** Number of values of a variable; 1 without dimensions. */
export function valueCount({ shape }: Pick<ArrayVariable, 'shape'>): number {
  return product(shape);
}
