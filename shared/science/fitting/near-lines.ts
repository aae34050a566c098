import type { ComplexMap } from '../datasets/complex-map.ts';
import type { SaturatedLine, Window } from './line-fit.ts';

/** Rabi frequencies to try, as fractions of that of the fitted line, which is too wide if it covers two lines. */
const PARTS = [0.1, 0.2, 0.4, 0.7, 1, 1.4];
/** Half width of a weakly driven line, GHz. */
const USUAL_WIDTH = 1.5e-3;

/**
 * The frequencies, to within a step of the sweep, of two lines of the same width that together explain a window best.
 * Their heights in both quadratures follow linearly.
 */
export function twoNearLines(map: ComplexMap, window: Window, fitted: SaturatedLine): [number, number] {
  const columns = map.x.flatMap((frequency, column) =>
    Math.abs(frequency - window.centre) <= window.reach ? [{ frequency, column }] : [],
  );
  const points = window.rows.flatMap((row) =>
    columns.map(({ frequency, column }) => ({
      frequency,
      drive: 10 ** ((map.y[row] ?? 0) / 10),
      re: map.re[row]?.[column] ?? 0,
      im: map.im[row]?.[column] ?? 0,
    })),
  );
  const signals = [points.map(({ re }) => re), points.map(({ im }) => im)].map(centred);
  let best = { explained: -1, lines: [window.centre, window.centre] as [number, number] };
  for (const part of PARTS) {
    const shapes = columns.map(({ frequency: at }) =>
      centred(
        points.map(({ frequency, drive }) => {
          const squared = (part * fitted.rabiFrequency) ** 2 * drive;
          return squared / (2 * (squared + (frequency - at) ** 2 + USUAL_WIDTH ** 2));
        }),
      ),
    );
    for (const [first, one] of shapes.entries()) {
      for (const [second, other] of shapes.slice(0, first).entries()) {
        const explained = signals.reduce((sum, signal) => sum + explainedBy(signal, one, other), 0);
        if (!(explained > best.explained)) continue;
        const [lower, upper] = [columns[second], columns[first]];
        best = { explained, lines: [lower?.frequency ?? 0, upper?.frequency ?? 0] };
      }
    }
  }
  return best.lines;
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

/** The sum of squares that two shapes explain together. */
function explainedBy(signal: readonly number[], one: readonly number[], other: readonly number[]): number {
  const [aa, ab, bb] = [product(one, one), product(one, other), product(other, other)];
  const [sa, sb] = [product(signal, one), product(signal, other)];
  const determinant = aa * bb - ab * ab;
  return determinant > 1e-9 * aa * bb ? (sa * sa * bb - 2 * sa * sb * ab + sb * sb * aa) / determinant : 0;
}
