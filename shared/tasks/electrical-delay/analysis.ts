import { QUBITS_PER_MUX } from '../../science/conventions/multiplexer.ts';
import { RESONATOR_BANDS_GHZ, USUAL_KAPPA_GHZ } from '../../science/conventions/readout.ts';
import { readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { type CurveModel, fitCurve } from '../../science/fitting/least-squares.ts';
import { inOrder, unwrappedPhases } from '../../science/fitting/phases.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

/** Phase over the frequency relative to the sweep's middle. Parameters: phase in the middle, slope. */
const straightLine: CurveModel = {
  evaluate: ([level = 0, slope = 0], x) => level + slope * x,
  gradient: (_, x) => [1, x],
};

/**
 * Delay that the resonators of a line add: κ_ext / (2π D²) for each at a distance D. The resonators are unknown when
 * the delay is measured, so resonators of the given width (GHz), evenly distributed over the later search band, are
 * assumed. The error covers half and one and a half times this width.
 */
function tailsOfResonators(frequency: number, isLowBand: boolean, kappa: number): Estimate {
  const { from, to } = isLowBand ? RESONATOR_BANDS_GHZ.low : RESONATOR_BANDS_GHZ.high;
  const spacing = (to - from) / QUBITS_PER_MUX;
  const delay = Array.from({ length: QUBITS_PER_MUX }, (_, place) => {
    const distance = Math.max(spacing / 2, Math.abs(from + spacing * (place + 0.5) - frequency));
    return kappa / (2 * Math.PI * distance ** 2);
  }).reduce((sum, each) => sum + each, 0);
  return { value: delay, error: delay / 2 };
}

/**
 * Maximum scatter of the phase, rad. Pure noise changes the phase by 1.8 rad from point to point; that of a line
 * changes far more evenly.
 */
const MAX_SCATTER = 0.5;

/**
 * Fits a straight line to the unwrapped phase of `iq_re`, `iq_im` over `frequency` (GHz): delay = −slope / 2π, minus
 * the contribution of the resonators.
 */
export function analyseElectricalDelay(input: AnalysisInput): Analysis {
  const read = readComplexSweep(input.dataset, 'frequency', 'iq');
  if (typeof read === 'string') return withoutFigures(read);
  const unusable = sweepProblem(read);
  if (unusable !== null) return withoutFigures(unusable);
  const sweep = inOrder(read);
  const phases = unwrappedPhases(sweep);
  const [from = 0, to = 0] = [sweep.x[0], sweep.x.at(-1)];
  const middle = (from + to) / 2;
  const span = to - from;
  const start = [phases[0] ?? 0, ((phases.at(-1) ?? 0) - (phases[0] ?? 0)) / span];
  const fit = fitCurve({
    x: sweep.x.map((frequency) => frequency - middle),
    y: phases,
    model: straightLine,
    start,
    scale: [1, 1 / span],
  });
  const curve = fit.ok
    ? {
        name: fitName(fit.r2),
        at: (frequency: number) => straightLine.evaluate(fit.parameters, frequency - middle),
      }
    : null;
  const { band, resonator_linewidth: linewidth } = input.runParameters;
  const tails = tailsOfResonators(middle, band?.value === 'low', numberOf(linewidth) ?? USUAL_KAPPA_GHZ);
  const delay = fit.ok
    ? {
        value: -(fit.parameters[1] ?? Number.NaN) / (2 * Math.PI) - tails.value,
        error: Math.hypot((fit.errors[1] ?? Number.NaN) / (2 * Math.PI), tails.error),
      }
    : undefined;
  const figure = composeFit([{ name: 'data', x: sweep.x, y: phases, curve }], {
    title: `${subjectOf(input)} · ${delay === undefined ? 'no usable fit' : `delay ${estimateText(delay, 'ns')}`}`,
    x: 'Readout frequency (GHz)',
    y: 'Phase (rad)',
  });
  const scatter = fit.ok ? Math.sqrt(fit.residualSumOfSquares / sweep.x.length) : 0;
  if (delay === undefined || scatter > MAX_SCATTER) {
    const refused = fit.ok
      ? `the phase is not a straight line: it scatters by ${scatter.toPrecision(3)} rad around one`
      : fit.message;
    return { outputs: {}, r2: fit.r2, figures: [figure], refused };
  }
  return { outputs: { electrical_delay: delay }, r2: fit.r2, figures: [figure] };
}
