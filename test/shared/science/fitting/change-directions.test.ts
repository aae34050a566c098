import { Matrix, QrDecomposition } from 'ml-matrix';
import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { type ChangedPoints, changesBeside } from '../../../../shared/science/fitting/change-directions.ts';

const TIMES = Array.from({ length: 61 }, (_, index) => index / 60);

/** The decrease by each step, computed by projecting its two directions one after another. */
function plainly({ explained, residuals, fitted, weights }: ChangedPoints): number[] {
  const basis = new QrDecomposition(new Matrix(explained.map((row) => [...row]))).orthogonalMatrix;
  const left = Matrix.columnVector(residuals);
  return fitted.map((_, place) => {
    const [moved, scaled] = [() => 1, (index: number) => fitted[index] ?? 0].map((size) => {
      const direction = Matrix.columnVector(
        residuals.map((_, index) =>
          index >= place && index < fitted.length ? size(index) * (weights[index] ?? 0) : 0,
        ),
      );
      return Matrix.sub(direction, basis.mmul(basis.transpose().mmul(direction)));
    });
    if (!moved || !scaled) return Number.NaN;
    const [aa, ab, bb] = [moved.dot(moved), moved.dot(scaled), scaled.dot(scaled)];
    const [a, b] = [moved.dot(left), scaled.dot(left)];
    const determinant = aa * bb - ab ** 2;
    return determinant > 1e-9 * aa * bb
      ? (bb * a ** 2 - 2 * ab * a * b + aa * b ** 2) / determinant
      : a ** 2 / aa;
  });
}

test.each([
  [
    'a decay',
    (time: number) => 0.5 + 0.5 * Math.exp(-3 * time),
    (time: number) => [1, Math.exp(-3 * time), -time * Math.exp(-3 * time)],
  ],
  [
    'an oscillation far from zero',
    (time: number) => 40 + Math.cos(20 * time),
    (time: number) => [1, Math.cos(20 * time), Math.sin(20 * time), time * Math.sin(20 * time)],
  ],
  [
    'a line that ends flat',
    (time: number) => Math.min(time, 0.5),
    (time: number) => [1, Math.min(time, 0.5)],
  ],
  ['a constant', () => 0.3, () => [1]],
])('steps of %s explain what their projected directions explain', (_, curve, slopes) => {
  const random = randomFrom('steps');
  const deviations = TIMES.map((time) => 0.02 + 0.01 * time);
  const points: ChangedPoints = {
    // The last row, after the points, is a known offset.
    explained: [
      ...TIMES.map((time, index) => slopes(time).map((slope) => slope / (deviations[index] ?? 1))),
      slopes(0).map((_, index) => (index === 0 ? 30 : 0)),
    ],
    residuals: [...TIMES, 1].map(() => random.normal()),
    fitted: TIMES.map(curve),
    weights: deviations.map((deviation) => 1 / deviation),
  };
  const found = changesBeside(points).ofSteps();
  for (const [place, expected] of plainly(points).entries()) {
    // With fewer points beyond it, a parameter may explain a step completely, and the remainder is only rounding.
    if (place < 2 || place > TIMES.length - 2) continue;
    expect(found[place], `step at ${place}`).toBeCloseTo(expected, 8);
  }
});
