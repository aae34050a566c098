import type { Dataset, DatasetVariable } from '../datasets/model.ts';
import { estimateText } from './estimate.ts';
import type { IqPoints } from './iq-rotation.ts';
import { mean, standardDeviation } from './statistics.ts';

/** Converts complex signals to excited-state population, by two prepared states that were measured several times. */
export interface PopulationScale {
  population(re: number, im: number): number;
  /** Distance of a point from the axis of the states, in units of population. */
  aside(re: number, im: number): number;
  /** Standard deviation of one averaged point across the axis of the states, in units of population. */
  across: number;
  /** Standard error of the population ½, the middle of both states. */
  middleError: number;
  /**
   * Number of measurements of each state. The error of the state's position is `across` divided by the square root of
   * this.
   */
  repetitions: { ground: number; excited: number };
  /** The measured points of both states. */
  prepared: IqPoints;
}

/** Minimum distance of the two states, in standard errors of their positions. */
const SMALLEST_DISTANCE = 10;
const MIN_REPETITIONS = 3;

/** The values of a variable over these two dimensions, row by row; undefined if it has other dimensions. */
export function rowsOf(
  dataset: Dataset,
  name: string,
  dims: readonly [string, string],
): (number | null)[][] | undefined {
  const variable: DatasetVariable | undefined = Object.hasOwn(dataset.variables, name)
    ? dataset.variables[name]
    : undefined;
  const [rows, columns] = [dataset.dims[dims[0]], dataset.dims[dims[1]]];
  if (variable === undefined || rows === undefined || columns === undefined) return undefined;
  if (variable.dims.length !== 2 || variable.dims[0] !== dims[0] || variable.dims[1] !== dims[1])
    return undefined;
  return Array.from({ length: rows }, (_, row) => variable.values.slice(row * columns, (row + 1) * columns));
}

/** The complex points of one row, without unmeasured ones. */
export function pointsOf(
  re: readonly (number | null)[],
  im: readonly (number | null)[],
): { re: number; im: number }[] {
  return re.flatMap((a, index) => {
    const b = im[index];
    return typeof a === 'number' && typeof b === 'number' && Number.isFinite(a + b) ? [{ re: a, im: b }] : [];
  });
}

/**
 * Reads `reference_re`, `reference_im` over `state` (0 ground, 1 excited) and `repetition`.
 * @returns the scale, or a message if there is none
 */
export function readPopulationScale(dataset: Dataset): PopulationScale | string {
  const [re, im] = ['reference_re', 'reference_im'].map((name) =>
    rowsOf(dataset, name, ['state', 'repetition']),
  );
  const states = dataset.coordinates.state?.values;
  if (re === undefined || im === undefined || states === undefined) {
    return 'the dataset has no reference_re and reference_im over state and repetition';
  }
  const [ground, excited] = [0, 1].map((state) => {
    const row = states.indexOf(state);
    return pointsOf(re[row] ?? [], im[row] ?? []);
  });
  const fewest = Math.min(ground?.length ?? 0, excited?.length ?? 0);
  if (ground === undefined || excited === undefined || fewest < MIN_REPETITIONS) {
    return `${fewest} repetitions of a prepared state are too few; ${MIN_REPETITIONS} are needed`;
  }
  const from = { re: mean(ground.map((point) => point.re)), im: mean(ground.map((point) => point.im)) };
  const to = { re: mean(excited.map((point) => point.re)), im: mean(excited.map((point) => point.im)) };
  const distance = Math.hypot(to.re - from.re, to.im - from.im);
  const [cos, sin] = [(to.re - from.re) / distance, (to.im - from.im) / distance];
  const along = (points: readonly { re: number; im: number }[]) =>
    points.map((point) => (point.re - from.re) * cos + (point.im - from.im) * sin);
  const across = (points: readonly { re: number; im: number }[]) =>
    points.map((point) => (point.im - from.im) * cos - (point.re - from.re) * sin);
  const groundError = standardDeviation(along(ground)) / Math.sqrt(ground.length);
  const excitedError = standardDeviation(along(excited)) / Math.sqrt(excited.length);
  const error = Math.hypot(groundError, excitedError);
  if (!(distance > SMALLEST_DISTANCE * error)) {
    const found = estimateText({ value: distance, error }, 'a.u.');
    return `the prepared states do not differ enough to scale the signal: their distance is ${found}`;
  }
  return {
    population: (a, b) => ((a - from.re) * cos + (b - from.im) * sin) / distance,
    aside: (a, b) => ((b - from.im) * cos - (a - from.re) * sin) / distance,
    across:
      Math.hypot(standardDeviation(across(ground)), standardDeviation(across(excited))) /
      Math.SQRT2 /
      distance,
    middleError: error / 2 / distance,
    repetitions: { ground: ground.length, excited: excited.length },
    prepared: partsOf([...ground, ...excited]),
  };
}

function partsOf(points: readonly { re: number; im: number }[]): IqPoints {
  return { re: points.map(({ re }) => re), im: points.map(({ im }) => im) };
}
