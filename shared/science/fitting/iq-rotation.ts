import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { mean } from './statistics.ts';

/** Points of the IQ plane: averaged complex signals, in arbitrary units. */
export interface IqPoints {
  re: readonly number[];
  im: readonly number[];
}

/** IQ points in a rotated frame: the coordinates along an axis, and across it. */
export interface RotatedIq {
  /** Angle of the axis from the I axis, in radians. */
  angle: number;
  along: number[];
  across: number[];
}

/** Rotates the plane by −angle, so that the axis in direction `angle` becomes the first coordinate. */
function rotate(points: IqPoints, angle: number): RotatedIq {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const along = points.re.map((re, index) => re * cosine + (points.im[index] ?? 0) * sine);
  const across = points.re.map((re, index) => -re * sine + (points.im[index] ?? 0) * cosine);
  return { angle, along, across };
}

/**
 * Rotates the plane so that the largest variance is along the first coordinate (principal component analysis). The sign
 * is chosen so that the first point is above the mean: if a sweep starts in the ground state, that state is on the
 * positive side. Points whose squares overflow are not rotated.
 */
export function rotateToPrincipalAxis(points: IqPoints): RotatedIq {
  const [meanRe, meanIm] = [mean(points.re), mean(points.im)];
  let [reRe, reIm, imIm] = [0, 0, 0];
  for (const [index, re] of points.re.entries()) {
    const [dRe, dIm] = [re - meanRe, (points.im[index] ?? 0) - meanIm];
    reRe += dRe * dRe;
    reIm += dRe * dIm;
    imIm += dIm * dIm;
  }
  if (!Number.isFinite(reRe + imIm)) return rotate(points, 0);
  const covariance = new Matrix([
    [reRe, reIm],
    [reIm, imIm],
  ]);
  // The eigenvalues of a symmetric matrix are in ascending order.
  const axes = new EigenvalueDecomposition(covariance, { assumeSymmetric: true }).eigenvectorMatrix;
  const angle = Math.atan2(axes.get(1, 1), axes.get(0, 1));
  const first =
    ((points.re[0] ?? 0) - meanRe) * Math.cos(angle) + ((points.im[0] ?? 0) - meanIm) * Math.sin(angle);
  const directed = first >= 0 ? angle : angle + Math.PI;
  return rotate(points, directed > Math.PI ? directed - 2 * Math.PI : directed);
}
