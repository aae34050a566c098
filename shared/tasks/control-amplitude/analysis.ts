import { FULL_SCALE, TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import { readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { rotateToPrincipalAxis } from '../../science/fitting/iq-rotation.ts';
import { type CurveModel, type Fit, fitCurve } from '../../science/fitting/least-squares.ts';
import { standardDeviation } from '../../science/fitting/statistics.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

const LARGEST_RELATIVE_ERROR = 0.3;

/** y = A / √(1 + ((f − f₀) / Ω)²) + C, parameters in the order A, f₀, Ω, C. */
const adiabaticResponse: CurveModel = {
  evaluate([height = 0, centre = 0, width = 1, level = 0], frequency) {
    return level + height / Math.hypot(1, (frequency - centre) / width);
  },
  gradient([height = 0, centre = 0, width = 1], frequency) {
    const relative = (frequency - centre) / width;
    const root = Math.hypot(1, relative);
    const slope = (height * relative) / (width * root ** 3);
    return [1 / root, slope, slope * relative, 1];
  },
};

/**
 * Fits the response to an adiabatically switched drive, whose half width is the Rabi frequency Ω, to `iq_re`, `iq_im`
 * over `frequency` (GHz), and scales the control amplitude to the target Rabi rate.
 */
export function analyseControlAmplitude(input: AnalysisInput): Analysis {
  const sweep = readComplexSweep(input.dataset, 'frequency', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) return withoutFigures(unusable);
  const { along, across } = rotateToPrincipalAxis(sweep);
  const fit = fitResponse(sweep.x, along);
  const refused = refusal(input, sweep.x, fit);
  const curve = fit.ok
    ? {
        name: fitName(fit.r2),
        at: (frequency: number) => adiabaticResponse.evaluate(fit.parameters, frequency),
      }
    : null;
  // With a continuous drive there is only amplifier noise, which is measured across the axis of the signal.
  const sigma = along.map(() => standardDeviation(across, 2));
  const outputs = refused === null ? estimates(input, fit) : {};
  const { coarse_qubit_frequency: found, coarse_control_amplitude: amplitude } = outputs;
  const resultText =
    found === undefined || amplitude === undefined
      ? 'no usable fit'
      : `f = ${estimateText(found, 'GHz')}, amplitude ${estimateText(amplitude, 'a.u.')}`;
  const figure = composeFit([{ name: 'data', x: sweep.x, y: along, sigma, curve }], {
    title: `${subjectOf(input)} · ${resultText}`,
    x: 'Drive frequency (GHz)',
    y: 'Signal along its axis (a.u.)',
  });
  return { outputs, r2: fit.r2, figures: [figure], ...(refused === null ? {} : { refused }) };
}

/** Starts from the best of many centres and widths. Height and offset follow linearly for each. */
function fitResponse(x: readonly number[], y: readonly number[]): Fit {
  if (x.length < 6) {
    const message = `${x.length} points are too few to fit a response`;
    return { ok: false, failure: 'too-little-data', message, r2: null };
  }
  const [from, to] = [Math.min(...x), Math.max(...x)];
  const span = to - from;
  const n = x.length;
  const meanY = y.reduce((sum, value) => sum + value, 0) / n;
  let best: { explained: number; start: number[] } | undefined;
  for (let place = 1; place < 60; place++) {
    const centre = from + (span * place) / 60;
    for (const part of [0.006, 0.012, 0.025, 0.05, 0.1, 0.2]) {
      const width = part * span;
      const shapes = x.map((frequency) => 1 / Math.hypot(1, (frequency - centre) / width));
      const meanShape = shapes.reduce((sum, value) => sum + value, 0) / n;
      let [ss, sy] = [0, 0];
      for (const [index, shape] of shapes.entries()) {
        ss += (shape - meanShape) ** 2;
        sy += (shape - meanShape) * ((y[index] ?? 0) - meanY);
      }
      const height = sy / ss;
      if (!(ss > 0) || height * sy <= (best?.explained ?? 0)) continue;
      best = { explained: height * sy, start: [height, centre, width, meanY - height * meanShape] };
    }
  }
  if (best === undefined) {
    return { ok: false, failure: 'too-little-data', message: 'the data do not vary', r2: null };
  }
  const [height = 1, , width = 1] = best.start;
  const scale = [Math.abs(height), width, width, Math.abs(height)];
  const fit = fitCurve({ x, y, model: adiabaticResponse, start: best.start, scale });
  if (!fit.ok) return fit;
  const [a = 0, centre = 0, signed = 0, level = 0] = fit.parameters;
  return { ...fit, parameters: [a, centre, Math.abs(signed), level] };
}

/** The reason why the fit cannot be used, with numbers; null if it can. */
function refusal(input: AnalysisInput, x: readonly number[], fit: Fit): string | null {
  if (!fit.ok) return fit.message;
  if (!((numberOf(input.inputs.coarse_control_amplitude) ?? 0) > 0)) {
    return 'the control amplitude of the drive is unknown';
  }
  const [height = 0, centre = 0, width = 0] = fit.parameters;
  const [heightError = 0, centreError = 0, widthError = 0] = fit.errors;
  if (Math.abs(height) < SIGNIFICANT * heightError) {
    return `no response exceeds the noise: its height would be ${estimateText({ value: height, error: heightError }, 'a.u.')}`;
  }
  const [from, to] = [Math.min(...x), Math.max(...x)];
  if (centre < from || centre > to) {
    return `the response is outside of the sweep: ${estimateText({ value: centre, error: centreError }, 'GHz')} is not between ${from.toFixed(4)} and ${to.toFixed(4)} GHz`;
  }
  if (!(widthError < LARGEST_RELATIVE_ERROR * width) || width > to - from) {
    return `the width of the response is not resolved: ${estimateText({ value: 1000 * width, error: 1000 * widthError }, 'MHz')}`;
  }
  return null;
}

function estimates(input: AnalysisInput, fit: Fit): Record<string, Estimate> {
  if (!fit.ok) return {};
  const [, centre = 0, width = 0] = fit.parameters;
  const [, centreError = 0, widthError = 0] = fit.errors;
  const seed = numberOf(input.inputs.coarse_control_amplitude) ?? Number.NaN;
  const target = numberOf(input.runParameters.target_rabi_rate) ?? TARGET_RABI_FREQUENCY_GHZ;
  const scaled = (target / width) * seed;
  // The amplitude of this measurement is the lower limit, the instrument's range the upper one. A limit is chosen, so
  // it has no error.
  const amplitude =
    scaled > seed && scaled < FULL_SCALE
      ? { value: scaled, error: (scaled * widthError) / width }
      : { value: Math.min(FULL_SCALE, Math.max(seed, scaled)), error: 0 };
  return {
    coarse_control_amplitude: amplitude,
    coarse_qubit_frequency: { value: centre, error: centreError },
  };
}
