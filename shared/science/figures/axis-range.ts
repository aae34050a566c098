/** The values that an axis must show. */
export interface AxisContent {
  values: readonly number[];
  logarithmic: boolean;
}

export interface AxisRange {
  min: number;
  max: number;
}

/** Fraction of the data's range that stays free at either end, so that no point is on the frame. */
const MARGIN = 0.05;

function linearRange(values: readonly number[]): AxisRange {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (min > max) return { min: 0, max: 1 };
  const margin = min === max ? Math.abs(min) * 0.5 || 0.5 : (max - min) * MARGIN;
  return { min: min - margin, max: max + margin };
}

function logarithmicRange(values: readonly number[]): AxisRange {
  const { min, max } = linearRange(values.filter((value) => value > 0).map(Math.log10));
  return { min: powerOfTen(min), max: powerOfTen(max) };
}

/** The number with this logarithm, or the nearest one to it that is above zero and finite. */
export function powerOfTen(exponent: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(Number.MIN_VALUE, 10 ** exponent));
}

/**
 * Ranges of both axes with a small margin. Given the size of the plot in pixels, the shorter range is extended around
 * its middle until a unit has the same length on both axes, so that circles in an IQ plane stay circles.
 */
export function lengthenAxes(
  x: AxisContent,
  y: AxisContent,
  equalAspect?: { width: number; height: number },
): { x: AxisRange; y: AxisRange } {
  const ranges = {
    x: x.logarithmic ? logarithmicRange(x.values) : linearRange(x.values),
    y: y.logarithmic ? logarithmicRange(y.values) : linearRange(y.values),
  };
  if (equalAspect === undefined || x.logarithmic || y.logarithmic) return ranges;
  const perPixel = Math.max(
    (ranges.x.max - ranges.x.min) / equalAspect.width,
    (ranges.y.max - ranges.y.min) / equalAspect.height,
  );
  const lengthened = ({ min, max }: AxisRange, pixels: number) => {
    const [middle, half] = [(min + max) / 2, (perPixel * pixels) / 2];
    return { min: middle - half, max: middle + half };
  };
  return { x: lengthened(ranges.x, equalAspect.width), y: lengthened(ranges.y, equalAspect.height) };
}

/** Maximum number of ticks. More would merge into a surface. */
const MAX_TICKS = 100;

/** The positions of an axis' ticks, each with a grid line, and the ticks that have a label. */
export interface AxisTicks {
  ticks: number[];
  labels: number[];
}

/** Multiples of 1, 2 or 5 times a power of ten within the range, about as many as wanted. */
function linearTicks({ min, max }: AxisRange, wanted: number): AxisTicks {
  const raw = (max - min) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10) * power;
  const ticks: number[] = [];
  for (let count = Math.ceil(min / step); count * step <= max && ticks.length < MAX_TICKS; count++) {
    // The product of many steps has rounding errors, such as 0.30000000000000004.
    ticks.push(Number((count * step).toPrecision(12)));
  }
  return { ticks, labels: ticks };
}

/** Labels whole powers of ten, with their multiples as ticks. A short range has the labels of a linear axis. */
function logarithmicTicks({ min, max }: AxisRange, wanted: number): AxisTicks {
  const [first, last] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
  const decades = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
  const within = (value: number) => value >= min && value <= max;
  const powers = decades.filter(within);
  if (powers.length < 2) return linearTicks({ min, max }, wanted);
  const spread = Math.ceil(powers.length / wanted);
  const labels = powers.filter((_, index) => index % spread === 0);
  const multiples = decades.flatMap((power) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((factor) => factor * power));
  if (spread === 1) return { ticks: multiples.filter(within), labels };
  return { ticks: powers.length > MAX_TICKS ? labels : powers, labels };
}

/** Ticks at round numbers for an axis of the given range. */
export function axisTicks(range: AxisRange, logarithmic: boolean, wanted = 6): AxisTicks {
  return logarithmic ? logarithmicTicks(range, wanted) : linearTicks(range, wanted);
}
