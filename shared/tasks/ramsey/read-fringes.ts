import type { Dataset } from '../../science/datasets/model.ts';
import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { isBetterExplainedByBend } from '../../science/fitting/axis-departure.ts';
import type { IqPoints } from '../../science/fitting/iq-rotation.ts';
import { separateOutliers } from '../../science/fitting/outliers.ts';
import { sweepFault } from '../../science/fitting/residuals.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { type ScaledSignal, scaleSignal } from '../common/analysis/state-scale.ts';

/** Both fringes at the same times, with the same scale. */
export interface Fringes {
  t: number[];
  x: ScaledSignal;
  y: ScaledSignal;
  /** Points of X in the IQ plane, then those of Y. */
  plane: IqPoints;
  /** The problem of the data before any fit; null if there is none. */
  fault: string | null;
  /** Whether a compressing amplifier explains the fault, if there is one. */
  isBent: boolean;
}

/** Two sweeps with their common points, as expectation values if there are references. */
export function readFringes(dataset: Dataset): Fringes | string {
  const readX = readComplexSweep(dataset, 'time', 'x');
  if (typeof readX === 'string') return readX;
  const readY = readComplexSweep(dataset, 'time', 'y');
  if (typeof readY === 'string') return readY;
  const [x, y] = [separateOutliers(readX).kept, separateOutliers(readY).kept];
  const known = new Set(y.x);
  const both = keep(x, known);
  const others = keep(y, new Set(both.x));
  const problem = sweepProblem(both) ?? sweepProblem(others);
  if (problem !== null) return problem;
  // Both fringes are scaled together, so that they have the same axis in the IQ plane.
  const joined = {
    x: [...both.x, ...others.x],
    re: [...both.re, ...others.re],
    im: [...both.im, ...others.im],
  };
  const scaled = scaleSignal(dataset, joined);
  const signal = scaled.calibrated
    ? {
        ...scaled,
        y: scaled.y.map((population) => 1 - 2 * population),
        across: 2 * scaled.across,
        label: 'expectation value',
      }
    : { ...scaled, label: 'signal (a.u.)' };
  const count = both.x.length;
  const faults = [
    { sweep: both, aside: scaled.aside.slice(0, count) },
    { sweep: others, aside: scaled.aside.slice(count) },
  ].map(({ sweep, aside }) => ({ sweep, fault: sweepFault(sweep, aside, scaled.prepared) }));
  const faulty = faults.filter(({ fault }) => fault !== null);
  return {
    fault: faulty[0]?.fault ?? null,
    isBent: faulty.length > 0 && faulty.every(({ sweep }) => isBetterExplainedByBend(sweep, scaled.prepared)),
    plane: { re: joined.re, im: joined.im },
    t: both.x,
    x: { ...signal, y: signal.y.slice(0, count) },
    y: { ...signal, y: signal.y.slice(count) },
  };
}

function keep({ x, re, im }: ComplexSweep, known: ReadonlySet<number>): ComplexSweep {
  const indices = x.flatMap((value, index) => (known.has(value) ? [index] : []));
  const pick = (values: readonly number[]) => indices.map((index) => values[index] ?? 0);
  return { x: pick(x), re: pick(re), im: pick(im) };
}
