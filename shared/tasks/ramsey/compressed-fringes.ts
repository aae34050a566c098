import { type FringePoint, precession } from '../../science/fitting/fringes.ts';
import {
  fitLosses,
  type LossProbabilities,
  type LossyFits,
  momentsOf,
  movesOf,
  overLosses,
} from '../../science/fitting/gain-compression.ts';
import type { IqPoints } from '../../science/fitting/iq-rotation.ts';
import type { CurveModel } from '../../science/fitting/least-squares.ts';
import { withoutMemory } from '../../science/fitting/point-memory.ts';
import { besideLine } from '../common/analysis/compressed-decay.ts';
import type { ScaledSignal } from '../common/analysis/state-scale.ts';
import { decayTime, type FringeDecay } from './fringe-decay.ts';

/** Points of both fringes as polarisations, and where they lie in the plane, in the same order. */
export interface FringePlane {
  points: readonly FringePoint[];
  plane: IqPoints;
  signal: ScaledSignal;
}

/**
 * The fringes as amplifiers have them that lose gain; see {@link fitLosses}. The time after which 1/e of them is left is one more
 * parameter, the last one.
 * @param undone the loss that was undone in the points
 * @returns null if there are no prepared states, or the noise is unknown
 */
export function fitFringeLosses(
  { points, plane, signal: { calibrated, prepared, across } }: FringePlane,
  { found: { fit, envelope }, kept, memory }: FringeDecay,
  undone: number,
): LossyFits | null {
  if (!calibrated || prepared === undefined || !fit.ok) return null;
  const own = fit.parameters.length - (memory === null ? 0 : 1);
  const keeps = memory?.value ?? 0;
  const beside = besideLine(prepared);
  // The points of X precede those of Y.
  const values = [0, 1].flatMap((axis) =>
    withoutMemory(
      points.filter((point) => point.axis === axis).map(({ value }) => value),
      keeps,
    ),
  );
  const lossy = fitLosses({
    model: populationOf(
      precession(
        kept.flatMap((index) => points[index] ?? []),
        envelope,
      ),
    ),
    parameters: fit.parameters.slice(0, own),
    errors: fit.errors.slice(0, own),
    x: kept.map((_, place) => place),
    y: kept.map((index) => (1 - (values[index] ?? 0)) / 2),
    aside: kept.map((index) => beside(plane.re[index] ?? 0, plane.im[index] ?? 0)),
    sigma: kept.map((_, place) => (fit.whitened.sigma[place] ?? 1) / 2 / (1 - keeps)),
    ends: [],
    prepared,
    areMeasured: true,
    across: across / 2,
    undone,
  });
  return lossy === null ? null : withTimes(lossy, envelope);
}

/** The population of the excited state, where a model gives the polarisation. */
function populationOf(model: CurveModel): CurveModel {
  return {
    evaluate: (parameters, index) => (1 - model.evaluate(parameters, index)) / 2,
    gradient: (parameters, index) => model.gradient(parameters, index).map((slope) => -slope / 2),
  };
}

/** Losses up to the first at which the fringes would not fall to 1/e; null if they never do. */
function withTimes({ of, undone }: LossyFits, envelope: FringeDecay['found']['envelope']): LossyFits | null {
  const timed = of.map(({ misfit, parameters, errors }) => ({
    misfit,
    parameters: [...parameters, decayTime(parameters, envelope)],
    // A loss moves the time, and hardly changes how well it is known.
    errors: [...errors, 1],
  }));
  const endless = timed.findIndex(({ parameters }) => !Number.isFinite(parameters.at(-1)));
  const known = endless < 0 ? timed : timed.slice(0, endless);
  return known.length === 0 ? null : { of: known, undone };
}

/** The fringes with parameters and a time that allow for a compressing amplifier. */
export function fringesOverLosses(
  decay: FringeDecay,
  fits: LossyFits,
  losses: LossProbabilities,
): FringeDecay {
  const { found, time } = decay;
  if (!found.fit.ok) return decay;
  const last = (fits.of[0]?.parameters.length ?? 1) - 1;
  const moved = momentsOf(movesOf(fits, losses, last));
  const curves = {
    ...fits,
    of: fits.of.map((each) => ({ ...each, parameters: each.parameters.slice(0, last) })),
  };
  return {
    ...decay,
    found: { ...found, fit: overLosses(found.fit, curves, losses) },
    time: { value: time.value + moved.value, error: Math.hypot(time.error, moved.error) },
  };
}
