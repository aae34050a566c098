import { Matrix, QrDecomposition } from 'ml-matrix';

/** Two directions that differ by less than this fraction count as the same. */
const SAME = 1e-9;
/** If less than this fraction of a sum remains, it lost too many digits and is computed from the points instead. */
const FEW_DIGITS = 1e-4;

/** Whitened points. Rows after the fitted ones are prior knowledge. */
export interface ChangedPoints {
  /** The derivatives of a model by its parameters, for each row. */
  explained: readonly (readonly number[])[];
  residuals: readonly number[];
  /** For each point, the value of the curve and the inverse of the deviation. */
  fitted: readonly number[];
  weights: readonly number[];
}

/**
 * Scalar products of two directions with each other and with the residuals, without the components that the parameters
 * explain.
 */
interface Products {
  aa: number;
  ab: number;
  bb: number;
  a: number;
  b: number;
}

/**
 * Decrease of the sum of squared residuals by a change of the offset and of the gain that follow the same course over
 * the points of a curve. The components that the parameters explain are removed from both changes.
 */
export function changesBeside(points: ChangedPoints) {
  const { residuals, fitted, weights } = points;
  const count = fitted.length;
  const parameters = points.explained[0]?.length ?? 0;
  const matrix = new Matrix(points.explained.map((row) => [...row]));
  const basis = new QrDecomposition(matrix).orthogonalMatrix;
  // Computed row by row, because this library's matrices are lists of lists and their products take longer.
  const rows = Float64Array.from({ length: residuals.length * parameters }, (_, place) =>
    basis.get(Math.floor(place / parameters), place % parameters),
  );

  /** Adds a multiple of a row of the basis. */
  function addRow(sum: Float64Array, row: number, times: number): void {
    for (let column = 0; column < parameters; column++) {
      sum[column] = (sum[column] ?? 0) + times * (rows[row * parameters + column] ?? 0);
    }
  }

  /** The direction of a change, without the component that the parameters explain. */
  function beside(sizeAt: (index: number) => number): Float64Array {
    const direction = new Float64Array(residuals.length);
    const shared = new Float64Array(parameters);
    for (let index = 0; index < count; index++) {
      const size = sizeAt(index) * (weights[index] ?? 0);
      direction[index] = size;
      addRow(shared, index, size);
    }
    for (let index = 0; index < direction.length; index++) {
      let left = direction[index] ?? 0;
      for (let column = 0; column < parameters; column++) {
        left -= (shared[column] ?? 0) * (rows[index * parameters + column] ?? 0);
      }
      direction[index] = left;
    }
    return direction;
  }

  function ofCourse(course: (index: number) => number): number {
    const moved = beside(course);
    const scaled = beside((index) => course(index) * (fitted[index] ?? 0));
    const sums = noProducts();
    for (let index = 0; index < moved.length; index++) {
      addProducts(sums, [moved[index] ?? 0, scaled[index] ?? 0], residuals[index] ?? 0);
    }
    return explainedBy(sums);
  }

  return {
    /** Decrease of the sum by a change with the given size at each point. */
    ofCourse,

    /** Decrease of the sum by a step, for each index of the first point after the step. */
    ofSteps(): Float64Array {
      const explained = new Float64Array(count);
      // The mean is subtracted from the curve, which makes it least similar to a plain step, so the sums keep their
      // digits.
      const middle = (Math.max(...fitted) + Math.min(...fitted)) / 2;
      const onBasis = (): Float64Array => new Float64Array(parameters);
      const [moved, scaled, remaining] = [onBasis(), onBasis(), onBasis()];
      for (const [index, residual] of residuals.entries()) addRow(remaining, index, residual);
      const sums = noProducts();
      for (let index = count - 1; index >= 0; index--) {
        const first = weights[index] ?? 0;
        const second = first * ((fitted[index] ?? 0) - middle);
        addProducts(sums, [first, second], residuals[index] ?? 0);
        addRow(moved, index, first);
        addRow(scaled, index, second);
        const left = {
          aa: sums.aa - dot(moved, moved),
          ab: sums.ab - dot(moved, scaled),
          bb: sums.bb - dot(scaled, scaled),
          a: sums.a - dot(moved, remaining),
          b: sums.b - dot(scaled, remaining),
        };
        const whole = left.bb + 2 * middle * left.ab + middle ** 2 * left.aa;
        const isExact =
          left.aa > FEW_DIGITS * sums.aa &&
          left.bb > FEW_DIGITS * sums.bb &&
          determinantOf(left) > FEW_DIGITS * left.aa * left.bb &&
          determinantOf(left) > 2 * SAME * left.aa * whole;
        explained[index] = isExact ? explainedBy(left) : ofCourse((point) => (point < index ? 0 : 1));
      }
      return explained;
    },
  };
}

function noProducts(): Products {
  return { aa: 0, ab: 0, bb: 0, a: 0, b: 0 };
}

/** Adds the contribution of one point. */
function addProducts(sums: Products, [first, second]: readonly [number, number], residual: number): void {
  sums.aa += first * first;
  sums.ab += first * second;
  sums.bb += second * second;
  sums.a += first * residual;
  sums.b += second * residual;
}

function dot(first: Float64Array, second: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < first.length; index++) sum += (first[index] ?? 0) * (second[index] ?? 0);
  return sum;
}

function determinantOf({ aa, ab, bb }: Products): number {
  return aa * bb - ab ** 2;
}

/** Decrease of the sum of squared residuals by two directions together. */
function explainedBy(products: Products): number {
  const { aa, ab, bb, a, b } = products;
  const determinant = determinantOf(products);
  if (determinant > SAME * aa * bb) return (bb * a ** 2 - 2 * ab * a * b + aa * b ** 2) / determinant;
  return aa > 0 ? a ** 2 / aa : 0;
}
