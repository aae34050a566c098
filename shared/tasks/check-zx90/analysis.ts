import { type ComplexSweep, readComplexSweep } from '../../science/datasets/rules.ts';
import { curveTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import { ofControl } from '../../science/fitting/cross-resonance-tomography.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { type PopulationScale, readPopulationScale } from '../../science/fitting/population-scale.ts';
import {
  fitRotation,
  type RotationFit,
  rotationError,
  rotationText,
} from '../../science/fitting/pulse-rotation.ts';
import { correlation, mean } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { thresholdAtNoise } from '../common/analysis/attainable-r2.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

/** Minimum polarisation of the control at the end. Below it, the control takes part in the dynamics. */
const SMALLEST_CONTROL_POLARISATION = 0.5;

/**
 * Compares `iq` of the target over `gate_count` with the pattern of gates that rotate perfectly and each lose a
 * fraction of the polarisation by decoherence. Requires that the control, which starts in its ground state, stays
 * there. `r2` is the fraction of the target's variance that the pattern explains. The rotation error is fitted together
 * with a loss per gate, because many gates determine it far more precisely than the pattern does.
 */
export function analyseZx90Repetition(input: AnalysisInput): Analysis {
  const target = expectation(input, 'iq', readPopulationScale(input.dataset));
  if (typeof target === 'string') return withoutFigures(target);
  const control = expectation(input, 'control', readPopulationScale(ofControl(input.dataset)));
  if (typeof control === 'string') return withoutFigures(control);
  const { counts, z } = target;
  const perfect = (count: number) => Math.cos((count * Math.PI) / 2);
  const first = fitRotation(counts, z, { pulse: 'hpi' });
  const kept = keptBy(first);
  const decayed = (count: number) => perfect(count) * kept ** count;
  const pattern = counts.map(decayed);
  const agreement = correlation(pattern, z);
  const varies = Number.isFinite(agreement);
  const r2 = varies ? agreement ** 2 : null;
  const left = Math.min(...control.z);
  const shots = numberOf(input.runParameters.shots);
  const sigmaOf = (expected: readonly number[], across: number) =>
    signalDeviations(expected, POLARISATION_LEVELS, across, shots);
  // The fit is weighted, because projection noise is largest midway between both states, where errors are most visible.
  const weights = sigmaOf(counts.map(first.evaluate), target.across);
  const rotation = first.fit.ok && weights ? fitRotation(counts, z, { pulse: 'hpi', sigma: weights }) : first;
  const curve = rotation.fit.ok ? { name: 'fitted rotation', at: rotation.evaluate } : null;
  const sigma = sigmaOf(counts.map(curve?.at ?? perfect), target.across);
  // Both states are drawn, so that noise around one of them does not look like a change.
  const stays = { name: 'ground state', at: () => 1 };
  const ofControlQubit = {
    name: 'data',
    x: control.counts,
    y: control.z,
    sigma: sigmaOf(control.z, control.across),
    curve: stays,
  };
  const figures = [
    composeFit(
      [ofControlQubit],
      {
        title: `${subjectOf(input)} · control`,
        x: 'Number of gates',
        y: 'Control Z (1 ground, −1 excited)',
      },
      [curveTrace('excited state', control.counts, () => -1)],
    ),
    composeFit(
      [{ name: 'data', x: counts, y: z, sigma, curve }],
      {
        title: `${subjectOf(input)} · ${rotationText(rotation, 'hpi')}`,
        x: 'Number of gates',
        y: 'Target Z (1 ground, −1 excited)',
      },
      [curveTrace(`perfect gates${r2 === null ? '' : `, r² = ${r2.toFixed(4)}`}`, counts, decayed)],
    ),
  ];
  const refused = !varies
    ? 'the signal of the target does not vary'
    : agreement < 0
      ? `the target follows the opposite of the expected pattern, with a correlation of ${agreement.toFixed(2)}`
      : left < SMALLEST_CONTROL_POLARISATION
        ? `the control does not stay in its ground state: its polarisation falls to ${left.toFixed(2)}`
        : rotation.fit.ok
          ? null
          : 'the rotation of the gates cannot be fitted';
  const r2Threshold = sigma && thresholdOf(input, { r2, pattern, z, sigma });
  const error = refused === null ? rotationError(rotation, 'hpi') : null;
  return {
    outputs: error === null ? {} : { zx90_rotation_error: error },
    r2,
    ...(r2Threshold === undefined ? {} : { r2Threshold }),
    figures,
    ...(refused === null ? {} : { refused }),
  };
}

/** The threshold of r2 at the noise of the data. The amplitude and the middle of the pattern are fitted. */
function thresholdOf(
  { task }: AnalysisInput,
  data: { r2: number | null; pattern: readonly number[]; z: readonly number[]; sigma: readonly number[] },
): number | undefined {
  const { r2, pattern, z, sigma } = data;
  const [parameters, points] = [2, z.length];
  const [middle, middleZ] = [mean(pattern), mean(z)];
  const squares = pattern.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const products = pattern.reduce(
    (sum, value, index) => sum + (value - middle) * ((z[index] ?? 0) - middleZ),
    0,
  );
  const left = z.map(
    (value, index) => value - middleZ - (products / squares) * ((pattern[index] ?? 0) - middle),
  );
  const whole = left.reduce((sum, value, index) => sum + (value / (sigma[index] ?? 1)) ** 2, 0);
  return thresholdAtNoise(task.r2Threshold, {
    r2,
    chiSquare: whole / (points - parameters),
    points,
    parameters,
  });
}

/** Minimum fraction of the polarisation that a gate keeps. Below it, the gate is refused, whatever its pattern. */
const MIN_KEPT = 0.9;

/**
 * Fraction of the polarisation that each gate keeps, which is limited by coherence; 1 if the fit does not determine it.
 */
function keptBy({ fit }: RotationFit): number {
  const [, , loss = 0] = fit.ok ? fit.parameters : [];
  return Math.min(1, Math.max(MIN_KEPT, Math.exp(-loss)));
}

function expectation(
  { dataset }: AnalysisInput,
  name: string,
  scale: PopulationScale | string,
): { counts: number[]; z: number[]; across: number } | string {
  if (typeof scale === 'string') return scale;
  const sweep: ComplexSweep | string = readComplexSweep(dataset, 'gate_count', name);
  if (typeof sweep === 'string') return sweep;
  const problem = sweepProblem(sweep) ?? instrumentFault(dataset, [name], scale);
  if (problem !== null) return problem;
  return {
    counts: sweep.x,
    across: 2 * scale.across,
    z: sweep.re.map((re, index) => 1 - 2 * scale.population(re, sweep.im[index] ?? 0)),
  };
}
