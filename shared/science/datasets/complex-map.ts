import type { Dataset } from './model.ts';
import { datasetProblem } from './rules.ts';

/** A complex signal over two axes; `re` and `im` have a row for each `y` and NaN where nothing was measured. */
export interface ComplexMap {
  x: number[];
  y: number[];
  re: number[][];
  im: number[][];
}

/**
 * Reads the complex variable `<name>_re`, `<name>_im` over the dimensions (`rows`, `columns`), in rising order of both
 * axes, regardless of the order in the file. Rows and columns without a value on their axis are omitted.
 * @returns the map, or a message saying what is missing or inconsistent
 */
export function readComplexMap(
  dataset: Dataset,
  rows: string,
  columns: string,
  name: string,
): ComplexMap | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const [yAxis, xAxis] = [rows, columns].map((axis) =>
    Object.hasOwn(dataset.coordinates, axis) ? dataset.coordinates[axis] : undefined,
  );
  if (yAxis === undefined || xAxis === undefined) {
    return `the dataset has no coordinates ${rows} and ${columns}`;
  }
  const [re, im] = [`${name}_re`, `${name}_im`].map((part) =>
    Object.hasOwn(dataset.variables, part) ? dataset.variables[part] : undefined,
  );
  if (re === undefined || im === undefined) return `the dataset has no ${name}_re and ${name}_im`;
  if ([re, im].some(({ dims }) => dims.length !== 2 || dims[0] !== rows || dims[1] !== columns)) {
    return `${name}_re and ${name}_im must have the dimensions ${rows} and ${columns}`;
  }
  const [y, x] = [inOrder(yAxis.values), inOrder(xAxis.values)];
  const width = xAxis.values.length;
  const part = (values: readonly (number | null)[]) =>
    y.map((row) => x.map((column) => values[row.index * width + column.index] ?? Number.NaN));
  return {
    x: x.map(({ value }) => value),
    y: y.map(({ value }) => value),
    re: part(re.values),
    im: part(im.values),
  };
}

function inOrder(values: readonly (number | null)[]): { value: number; index: number }[] {
  return values
    .flatMap((value, index) => (value === null || !Number.isFinite(value) ? [] : [{ value, index }]))
    .sort((a, b) => a.value - b.value);
}
