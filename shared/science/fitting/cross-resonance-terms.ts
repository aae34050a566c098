import { determinant, inverse, LuDecomposition, Matrix, solve } from 'ml-matrix';
import type { Estimate } from './estimate.ts';
import type { PrecessionFit } from './precession.ts';

/** The tones of one step of the tomography. */
export interface CrossResonanceTones {
  amplitude: number;
  phase: number;
  cancelAmplitude: number;
  cancelPhase: number;
}

/** A step with the precession of the target for the control in its ground and in its excited state. */
export interface TomographyStep {
  tones: CrossResonanceTones;
  fits: readonly [PrecessionFit, PrecessionFit];
}

/** The interaction in the frame of a tone of phase 0, in GHz, and the effect of the cancel tone per amplitude. */
export interface CrossResonanceTerms {
  phase: Estimate;
  rate: Estimate;
  cancelAmplitude: Estimate;
  cancelPhase: Estimate;
  /** The residuals of the steps in units of their deviations, and the number of fitted parameters. */
  residuals: number[];
  parameters: number;
}

/** A vector in the equatorial plane, with the covariance of its components. */
interface Equatorial {
  value: readonly [number, number];
  covariance: Matrix;
}

type Sign = 1 | -1;

/**
 * Half the sum (terms I) or half the difference (terms Z) of the target's precession for both states of the control.
 */
function equatorial({ fits }: TomographyStep, sign: Sign): Equatorial | null {
  const [ground, excited] = fits.map(({ fit }) => fit);
  if (!ground?.ok || !excited?.ok) return null;
  const at = (index: number) =>
    ((ground.parameters[index] ?? 0) + sign * (excited.parameters[index] ?? 0)) / 2;
  const part = (covariance: number[][]) => new Matrix(covariance).subMatrix(0, 1, 0, 1);
  const covariance = Matrix.add(part(ground.covariance), part(excited.covariance)).div(4);
  // Signals without noise, as from a stuck instrument, have errors of zero, which cannot be used as weights.
  return determinant(covariance) > 0 ? { value: [at(0), at(1)], covariance } : null;
}

/** A coefficient of the terms I or Z with its error, for axis 0 to 2. */
export function coefficient({ fits }: TomographyStep, axis: number, sign: Sign): Estimate | null {
  const [ground, excited] = fits.map(({ fit }) => fit);
  if (!ground?.ok || !excited?.ok) return null;
  return {
    value: ((ground.parameters[axis] ?? 0) + sign * (excited.parameters[axis] ?? 0)) / 2,
    error: Math.hypot(ground.errors[axis] ?? 0, excited.errors[axis] ?? 0) / 2,
  };
}

/** Multiplication by a complex number as a matrix. */
function complexMatrix(size: number, phase: number): number[][] {
  const [re, im] = [size * Math.cos(phase), size * Math.sin(phase)];
  return [
    [re, -im],
    [im, re],
  ];
}

/** Whether a matrix has an inverse. It has none if errors are zero or the steps do not differ. */
function isInvertible(matrix: Matrix): boolean {
  return Number.isFinite(matrix.sum()) && !new LuDecomposition(matrix).isSingular();
}

/** Weighted linear least squares over blocks of two rows; null if these do not determine all parameters. */
function solveBlocks(blocks: readonly { design: Matrix; seen: Equatorial }[]) {
  if (!blocks.every(({ seen }) => isInvertible(seen.covariance))) return null;
  const columns = blocks[0]?.design.columns ?? 0;
  const normal = Matrix.zeros(columns, columns);
  const right = Matrix.zeros(columns, 1);
  for (const { design, seen } of blocks) {
    const weighted = design.transpose().mmul(inverse(seen.covariance));
    normal.add(weighted.mmul(design));
    right.add(weighted.mmul(Matrix.columnVector([...seen.value])));
  }
  if (!isInvertible(normal)) return null;
  const solution = solve(normal, right);
  const residuals = blocks.flatMap(({ design, seen: { value, covariance } }) => {
    const expected = design.mmul(solution);
    const [x, y] = [value[0] - expected.get(0, 0), value[1] - expected.get(1, 0)];
    // Each block is whitened with the Cholesky factor of its covariance, which makes its rows independent.
    const size = Math.sqrt(covariance.get(0, 0));
    const shared = covariance.get(0, 1) / size;
    const own = Math.sqrt(covariance.get(1, 1) - shared ** 2);
    return [x / size, (y - (shared * x) / size) / own];
  });
  return { solution: solution.to1DArray(), covariance: inverse(normal), residuals };
}

/**
 * Finds from all steps at once the phase at which ZY vanishes, the rate of ZX, and the cancel tone for that phase:
 * ZX + iZY = Z e^(iφ) and IX + iIY = B e^(iφ) + G c with the phase φ of the tone and the complex amplitude c of the
 * cancel tone of each step. Then the phase is −arg Z and the cancel tone −B e^(−i arg Z) / G.
 *
 * @param gain G where no step had a cancel tone yet, GHz/a.u.
 * @returns null if a fit failed, or if the steps do not determine the terms
 */
export function crossResonanceTerms(
  steps: readonly TomographyStep[],
  gain: number,
): CrossResonanceTerms | null {
  const conditional: { design: Matrix; seen: Equatorial }[] = [];
  const common: { design: Matrix; seen: Equatorial }[] = [];
  const cancelled = steps.some(({ tones }) => tones.cancelAmplitude > 0);
  for (const step of steps) {
    const { phase, cancelAmplitude, cancelPhase } = step.tones;
    const [z, i] = [equatorial(step, -1), equatorial(step, 1)];
    if (z === null || i === null) return null;
    const turned = complexMatrix(1, phase);
    const cancel = complexMatrix(cancelAmplitude, cancelPhase);
    conditional.push({ design: new Matrix(turned), seen: z });
    common.push({
      design: new Matrix(cancelled ? turned.map((row, index) => [...row, ...(cancel[index] ?? [])]) : turned),
      seen: i,
    });
  }
  const zx = solveBlocks(conditional);
  const ix = solveBlocks(common);
  if (zx === null || ix === null) return null;
  const [re = 0, im = 0] = zx.solution;
  const rate = Math.hypot(re, im);
  const radial = Matrix.rowVector([re / rate, im / rate]);
  const tangential = Matrix.rowVector([-im / rate, re / rate]);
  const deviation = (along: Matrix, covariance: Matrix) =>
    Math.sqrt(along.mmul(covariance).mmul(along.transpose()).get(0, 0));
  const phase = { value: -Math.atan2(im, re), error: deviation(tangential, zx.covariance) / rate };

  const [bRe = 0, bIm = 0, gRe = gain, gIm = 0] = ix.solution;
  const [b2, g2] = [bRe ** 2 + bIm ** 2, gRe ** 2 + gIm ** 2];
  const amplitude = Math.sqrt(b2 / g2);
  // ln(B / G) by its real and imaginary part: relative size and phase of the cancel tone.
  const sizeBy = [bRe / b2, bIm / b2, -gRe / g2, -gIm / g2].slice(0, ix.solution.length);
  const angleBy = [-bIm / b2, bRe / b2, gIm / g2, -gRe / g2].slice(0, ix.solution.length);
  const angle = Math.PI + phase.value + Math.atan2(bIm, bRe) - Math.atan2(gIm, gRe);
  return {
    residuals: [...zx.residuals, ...ix.residuals],
    parameters: zx.solution.length + ix.solution.length,
    phase,
    rate: { value: rate, error: deviation(radial, zx.covariance) },
    cancelAmplitude: {
      value: amplitude,
      error: amplitude * deviation(Matrix.rowVector(sizeBy), ix.covariance),
    },
    cancelPhase: {
      value: Math.atan2(Math.sin(angle), Math.cos(angle)),
      error: Math.hypot(phase.error, deviation(Matrix.rowVector(angleBy), ix.covariance)),
    },
  };
}
