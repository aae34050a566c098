import { ALL_XY_PAIRS, type AllXyPulse } from '../conventions/all-xy.ts';
import {
  composeRotations,
  IDENTITY,
  inSequence,
  polarisationAfter,
  type Rotation,
  rotationAbout,
  withPhase,
} from '../quantum/rotations.ts';
import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/**
 * Number of slices of constant field in which a raised cosine is computed. More slices change polarisations by less
 * than 1e-4.
 */
const SLICES = 24;
const DIFFERENCE = 1e-5;

/** Lengths of the half-turn and quarter-turn pulses, ns. */
export interface AllXyLengths {
  half: number;
  quarter: number;
}

/** Rotation by a raised-cosine pulse of `angle` about x, while the qubit precesses about z by its detuning (rad/ns). */
function turnBy(angle: number, lengthNs: number, detuning: number): Rotation {
  const step = lengthNs / SLICES;
  return Array.from({ length: SLICES }, (_, slice) => {
    const drive = (angle / lengthNs) * (1 - Math.cos((2 * Math.PI * (slice + 0.5)) / SLICES));
    return rotationAbout({ x: drive, y: 0, z: detuning }, step);
  }).reduce(composeRotations, IDENTITY);
}

/**
 * Polarisation after each pair, for a relative over-rotation of the pulses and a detuning of qubit frequency − drive
 * frequency (GHz).
 */
export function allXyPolarisations(lengths: AllXyLengths, error: number, detuning: number): number[] {
  const rate = 2 * Math.PI * detuning;
  const half = turnBy(Math.PI * (1 + error), lengths.half, rate);
  const quarter = turnBy((Math.PI / 2) * (1 + error), lengths.quarter, rate);
  const pulses: Record<AllXyPulse, Rotation> = {
    I: IDENTITY,
    X: half,
    Y: withPhase(half, Math.PI / 2),
    x: quarter,
    y: withPhase(quarter, Math.PI / 2),
  };
  return ALL_XY_PAIRS.map((pair) => polarisationAfter(inSequence(pair.map((name) => pulses[name]))));
}

/** The fitted staircase. Parameters: error of the amplitude, detuning (GHz), scale and offset of the polarisation. */
export interface AllXyFit {
  fit: Fit;
  fitted: number[];
  evaluate(place: number): number;
}

/** Fits the polarisations of the pairs with the indices `places` by a common amplitude error and detuning. */
export function fitAllXy(
  places: readonly number[],
  z: readonly number[],
  lengths: AllXyLengths,
  sigma?: readonly number[],
): AllXyFit {
  const known = new Map<string, number[]>();
  const polarisation = (error: number, detuning: number, place: number) => {
    const key = `${error} ${detuning}`;
    const all = known.get(key) ?? allXyPolarisations(lengths, error, detuning);
    known.set(key, all);
    return all[place] ?? 0;
  };
  const model: CurveModel = {
    evaluate: ([error = 0, detuning = 0, scale = 1, offset = 0], place) =>
      scale * polarisation(error, detuning, place) + offset,
    gradient([error = 0, detuning = 0, scale = 1], place) {
      const [byError, byDetuning] = [
        polarisation(error + DIFFERENCE, detuning, place) - polarisation(error - DIFFERENCE, detuning, place),
        polarisation(error, detuning + DIFFERENCE, place) - polarisation(error, detuning - DIFFERENCE, place),
      ];
      const perDifference = scale / (2 * DIFFERENCE);
      return [perDifference * byError, perDifference * byDetuning, polarisation(error, detuning, place), 1];
    },
  };
  const start = [0, 0, 1, 0];
  const fit = fitCurve({ x: places, y: z, model, start, scale: [0.01, 1e-3, 0.1, 0.1], sigma });
  const evaluate = (place: number) => model.evaluate(fit.ok ? fit.parameters : start, place);
  return { fit, fitted: places.map(evaluate), evaluate };
}
