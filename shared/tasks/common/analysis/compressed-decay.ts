import type { Dataset, DatasetVariable } from '../../../science/datasets/model.ts';
import { shapedDecay } from '../../../science/fitting/decay-shapes.ts';
import { type Estimate, estimateText } from '../../../science/fitting/estimate.ts';
import { exponentialDecay } from '../../../science/fitting/exponential.ts';
import { BEYOND_CHANCE } from '../../../science/fitting/further-parameter.ts';
import {
  fitLosses,
  type LossProbabilities,
  type LossyFits,
  undoLoss,
} from '../../../science/fitting/gain-compression.ts';
import type { IqPoints } from '../../../science/fitting/iq-rotation.ts';
import { withoutMemory } from '../../../science/fitting/point-memory.ts';
import type { FittedDecay } from './shaped-decay.ts';
import type { ScaledSignal } from './state-scale.ts';

/**
 * The fits of the decay for compressing amplifiers; see {@link fitLosses}.
 * @param memory the fraction of the previous point that each point retains, if one was found
 * @param undone the loss that was corrected in the points
 * @returns null if there are no prepared states, or the noise is unknown
 */
export function fitDecayLosses(
  { y, calibrated, prepared, across }: ScaledSignal,
  { x, re, im }: IqPoints & { x: readonly number[] },
  {
    found,
    kept,
    memory,
    end,
    undone,
  }: {
    found: FittedDecay;
    kept: readonly number[];
    memory: Estimate | null;
    end: Estimate;
    undone: number;
  },
): LossyFits | null {
  const { fit } = found;
  if (!calibrated || prepared === undefined || !fit.ok) return null;
  const model = 'shape' in found ? shapedDecay(found.shape) : exponentialDecay;
  const own = fit.parameters.length - (memory === null ? 0 : 1);
  const parameters = fit.parameters.slice(0, own);
  const keeps = memory?.value ?? 0;
  const values = withoutMemory(y, keeps);
  const beside = besideLine(prepared);
  const { sigma } = fit.whitened;
  // Known values follow after the points.
  const ends = [
    { x: Number.POSITIVE_INFINITY, value: end.value },
    { x: 0, value: 1 },
  ].flatMap(({ x: place, value }, index) => {
    const error = sigma[kept.length + index];
    return error === undefined ? [] : [{ x: place, known: { value, error } }];
  });
  return fitLosses({
    model,
    parameters,
    errors: fit.errors.slice(0, own),
    x: kept.map((index) => x[index] ?? 0),
    y: kept.map((index) => values[index] ?? 0),
    aside: kept.map((index) => beside(re[index] ?? 0, im[index] ?? 0)),
    sigma: kept.map((_, place) => (sigma[place] ?? 1) / (1 - keeps)),
    ends,
    prepared,
    areMeasured: true,
    across,
    undone,
  });
}

/**
 * Distance of a point from the line between the ground state and the excited state, as a fraction of their distance.
 */
export function besideLine({ re, im }: IqPoints): (re: number, im: number) => number {
  const [fromRe = 0, toRe = 0] = re;
  const [fromIm = 0, toIm = 0] = im;
  const [dRe, dIm] = [toRe - fromRe, toIm - fromIm];
  return (a, b) => (dRe * (b - fromIm) - dIm * (a - fromRe)) / (dRe ** 2 + dIm ** 2);
}

/**
 * The dataset corrected for the loss of an amplifier; null if it has no prepared states.
 * @param names of its signals besides the prepared states
 */
export function withoutLoss(
  dataset: Dataset,
  { prepared }: Pick<ScaledSignal, 'prepared'>,
  { loss, names = ['iq'] }: { loss: number; names?: readonly string[] },
): Dataset | null {
  if (prepared === undefined) return null;
  const variables = { ...dataset.variables };
  for (const name of [...names, 'reference']) {
    const [re, im] = [variables[`${name}_re`], variables[`${name}_im`]];
    if (re === undefined || im === undefined) return null;
    const numbers = ({ values }: DatasetVariable) => values.map((value) => value ?? Number.NaN);
    const undone = undoLoss({ re: numbers(re), im: numbers(im) }, prepared, loss);
    const known = (values: readonly number[]) => values.map((value) => (Number.isNaN(value) ? null : value));
    variables[`${name}_re`] = { ...re, values: known(undone.re) };
    variables[`${name}_im`] = { ...im, values: known(undone.im) };
  }
  return { ...dataset, variables };
}

/**
 * A note for the user about a value that takes a compressing amplifier into account, if it is certain that there is
 * one.
 */
export function lossNotes(losses: LossProbabilities | null): string[] {
  if (losses === null || losses.certainty < BEYOND_CHANCE) return [];
  const { value, error } = losses.loss;
  const part = estimateText({ value: 100 * value, error: 100 * error }, '%');
  return [
    `The amplifier loses ${part} of its gain at the largest signal, which the value takes into account at the cost of a larger error: read out more weakly.`,
  ];
}
