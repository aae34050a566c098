import type { Dataset, DatasetVariable } from './model.ts';

/** Number of values that a variable over the given dimensions has; null when a dimension is not declared. */
export function countValues(dataset: Pick<Dataset, 'dims'>, dims: readonly string[]): number | null {
  let count = 1;
  for (const name of dims) {
    const length = Object.hasOwn(dataset.dims, name) ? dataset.dims[name] : undefined;
    if (length === undefined) return null;
    count *= length;
  }
  return count;
}

function variableProblem(dataset: Dataset, name: string, variable: DatasetVariable): string | null {
  const count = countValues(dataset, variable.dims);
  if (count === null) return `${name} uses a dimension that the dataset does not declare`;
  if (count !== variable.values.length) {
    return `${name} has ${variable.values.length} values where its dimensions need ${count}`;
  }
  return null;
}

/** Names that NetCDF, and every program that reads it, accepts unchanged. */
const NAME = /^[A-Za-z][A-Za-z0-9_.@+-]{0,255}$/;

/** Whether a dimension, a variable or an attribute may have this name. */
export function isDatasetName(name: string): boolean {
  return NAME.test(name);
}

/** The first inconsistency of a dataset, as the end of a sentence; null if it is consistent. */
export function datasetProblem(dataset: Dataset): string | null {
  const badName = [dataset.dims, dataset.coordinates, dataset.variables]
    .flatMap((named) => Object.keys(named))
    .find((name) => !isDatasetName(name));
  if (badName !== undefined)
    return `${JSON.stringify(badName.slice(0, 60))} cannot be the name of a variable`;
  for (const dimension of Object.keys(dataset.dims)) {
    const coordinate = Object.hasOwn(dataset.coordinates, dimension)
      ? dataset.coordinates[dimension]
      : undefined;
    if (coordinate === undefined) return `the dimension ${dimension} has no coordinate of its name`;
    if (coordinate.dims.length !== 1 || coordinate.dims[0] !== dimension) {
      return `the coordinate ${dimension} must have ${dimension} as its only dimension`;
    }
  }
  const named = [...Object.entries(dataset.coordinates), ...Object.entries(dataset.variables)];
  for (const [name, variable] of named) {
    const problem = variableProblem(dataset, name, variable);
    if (problem !== null) return problem;
  }
  for (const name of Object.keys(dataset.coordinates)) {
    if (!Object.hasOwn(dataset.dims, name)) return `the coordinate ${name} belongs to no dimension`;
    if (Object.hasOwn(dataset.variables, name)) return `${name} is both a coordinate and a variable`;
  }
  return null;
}

/** A complex signal over one axis, without points that were not measured. */
export interface ComplexSweep {
  x: number[];
  re: number[];
  im: number[];
}

/**
 * Reads the complex variable `<name>_re`, `<name>_im` over the single dimension `axis`.
 * @returns the points, or a message saying what is missing or inconsistent
 */
export function readComplexSweep(dataset: Dataset, axis: string, name: string): ComplexSweep | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const coordinate = Object.hasOwn(dataset.coordinates, axis) ? dataset.coordinates[axis] : undefined;
  if (coordinate === undefined) return `the dataset has no coordinate ${axis}`;
  const [re, im] = [`${name}_re`, `${name}_im`].map((part) =>
    Object.hasOwn(dataset.variables, part) ? dataset.variables[part] : undefined,
  );
  if (re === undefined || im === undefined) return `the dataset has no ${name}_re and ${name}_im`;
  for (const variable of [re, im]) {
    if (variable.dims.length !== 1 || variable.dims[0] !== axis) {
      return `${name}_re and ${name}_im must have ${axis} as their only dimension`;
    }
  }
  const sweep: ComplexSweep = { x: [], re: [], im: [] };
  for (const [index, x] of coordinate.values.entries()) {
    const [a, b] = [re.values[index], im.values[index]];
    if (!isNumber(x) || !isNumber(a) || !isNumber(b)) continue;
    sweep.x.push(x);
    sweep.re.push(a);
    sweep.im.push(b);
  }
  return sweep;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
