import type { PlainPulse } from '../../science/conventions/pulse.ts';
import { readComplexSweep } from '../../science/datasets/rules.ts';
import { markerTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type Estimate, estimateText, SIGNIFICANT } from '../../science/fitting/estimate.ts';
import { type ExtremumFit, fitMaximum } from '../../science/fitting/extremum.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { separateOutliers } from '../../science/fitting/outliers.ts';
import { sweepFault } from '../../science/fitting/residuals.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { fitJudged, type JudgedFit, parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { principalFromGround, type ScaledSignal } from '../common/analysis/state-scale.ts';
import { numberOf } from '../common/parameters.ts';

const LARGEST_RELATIVE_ERROR = 0.05;
/**
 * Limits of a slope below the oscillation, which shifts its maximum, in deviations and in radians. Pulses of equal
 * length cause no slope.
 */
const BEYOND_NOISE = 4.5;
const LARGEST_SKEW = 0.05;
/**
 * Maximum deviation of the phase at the maximum from one full turn. Beyond it, the maximum belongs to another turn, or
 * to none.
 */
const LARGEST_PHASE_ERROR = 0.4 * 2 * Math.PI;

/**
 * Fits A cos(w x + φ) + a x + b to `iq_re`, `iq_im` over the `amplitude` of pulses that together make a full turn,
 * along their principal axis. The pulse is correct at the amplitude at which the qubit returns to the ground state.
 */
function analyseCreation(input: AnalysisInput, pulse: PlainPulse): Analysis {
  const read = readComplexSweep(input.dataset, 'amplitude', 'iq');
  if (typeof read === 'string') return withoutFigures(read);
  const unusable = sweepProblem(read);
  if (unusable !== null) return withoutFigures(unusable);
  const { kept: sweep } = separateOutliers(read);
  const signal = principalFromGround(input.dataset, sweep);
  const judged = fitWeighted(input, sweep.x, signal);
  const { found: maximum, judgement } = judged;
  const length = numberOf(input.runParameters[`${pulse}_duration`]);
  const refused =
    length === undefined
      ? 'the length of the pulse is unknown'
      : (sweepFault(sweep, signal.aside, signal.prepared) ??
        refusal(sweep.x, maximum) ??
        judgement?.problem ??
        null);
  const { fit } = maximum;
  const found = fit.ok ? { value: fit.parameters[2] ?? 0, error: fit.errors[2] ?? 0 } : undefined;
  const amplitude = refused === null ? found : undefined;
  const figures = [sweepFigure(input, pulse, { x: sweep.x, signal, judged }, amplitude)];
  if (refused !== null || amplitude === undefined || length === undefined) {
    return { outputs: {}, r2: fit.r2, figures, refused: refused ?? 'the fit gives no amplitude' };
  }
  return {
    outputs: { [`${pulse}_amplitude`]: amplitude, [`${pulse}_length`]: { value: length, error: 0 } },
    r2: fit.r2,
    figures,
  };
}

export const analyseHpiCreation = (input: AnalysisInput): Analysis => analyseCreation(input, 'hpi');
export const analysePiCreation = (input: AnalysisInput): Analysis => analyseCreation(input, 'pi');

/** A maximum with its values at the points. */
type FittedMaximum = ExtremumFit & { fitted: number[] };

function fitWeighted(
  input: AnalysisInput,
  x: readonly number[],
  signal: ScaledSignal,
): JudgedFit<FittedMaximum> {
  const middle = (Math.min(...x) + Math.max(...x)) / 2;
  return fitJudged<FittedMaximum>({
    y: signal.y,
    across: signal.across,
    fitTo(indices, sigma) {
      const places = indices.map((index) => x[index] ?? 0);
      const found = fitMaximum(
        places,
        indices.map((index) => signal.y[index] ?? 0),
        middle,
        sigma,
      );
      return { ...found, fitted: places.map(found.evaluate) };
    },
    deviations({ fit, fitted }) {
      const [amplitude, offset] = [parameterEstimate(fit, 0).value, parameterEstimate(fit, 4).value];
      const levels = { ground: offset + amplitude, excited: offset - amplitude };
      return signalDeviations(fitted, levels, signal.across, numberOf(input.runParameters.shots));
    },
  });
}

/** The reason why the fit cannot be used, with numbers; null if it can. */
function refusal(x: readonly number[], { fit }: ExtremumFit): string | null {
  if (!fit.ok) return fit.message;
  if (![...fit.parameters, ...fit.errors].every(Number.isFinite)) return 'the fit gives no finite values';
  const [amplitude = 0, rate = 0, maximum = 0] = fit.parameters;
  const [amplitudeError = 0, , maximumError = 0] = fit.errors;
  if (amplitude < SIGNIFICANT * amplitudeError) {
    const found = estimateText({ value: amplitude, error: amplitudeError }, 'a.u.');
    return `no oscillation exceeds the noise: its amplitude would be ${found}`;
  }
  const found = estimateText({ value: maximum, error: maximumError }, 'a.u.');
  const [lowest, highest] = [Math.min(...x), Math.max(...x)];
  if (maximum <= lowest || maximum >= highest) {
    const sweep = [lowest, highest].map((value) => Number(value.toPrecision(4))).join(' to ');
    return `the qubit returns at ${found}, outside of the sweep from ${sweep} a.u.`;
  }
  const [skew, skewError] = [fit.parameters[3] ?? 0, fit.errors[3] ?? 0];
  if (Math.abs(skew) > BEYOND_NOISE * skewError && Math.abs(skew) > LARGEST_SKEW) {
    return `the signal drifts along the sweep by ${skew.toPrecision(2)} ± ${skewError.toPrecision(1)} of its amplitude, which shifts the maximum`;
  }
  if (maximumError > LARGEST_RELATIVE_ERROR * maximum) return `the amplitude is not resolved: ${found}`;
  const turns = (rate * maximum) / (2 * Math.PI);
  if (Math.abs(rate * maximum - 2 * Math.PI) > LARGEST_PHASE_ERROR) {
    return `the qubit returns at ${found} after ${turns.toFixed(2)} turns, and one is expected: the control amplitude is far off`;
  }
  return null;
}

function sweepFigure(
  { task, qid }: AnalysisInput,
  pulse: PlainPulse,
  { x, signal, judged }: { x: readonly number[]; signal: ScaledSignal; judged: JudgedFit<FittedMaximum> },
  amplitude?: Estimate,
): Figure {
  const { found: maximum, kept, sigma } = judged;
  const pick = (values: readonly number[]) => kept.map((index) => values[index] ?? 0);
  const curve = maximum.fit.ok ? { name: fitName(maximum.fit.r2), at: maximum.evaluate } : null;
  const [low, high] = [Math.min(...signal.y), Math.max(...signal.y)];
  const marks =
    amplitude === undefined ? [] : [markerTrace(`${pulse} amplitude`, amplitude.value, low, high)];
  const found =
    amplitude === undefined ? 'no usable fit' : `${pulse} amplitude ${estimateText(amplitude, 'a.u.')}`;
  return composeFit(
    [{ name: 'data', x: pick(x), y: pick(signal.y), sigma, curve }],
    {
      title: `${subjectOf({ task, qid })} · ${found}`,
      x: 'Pulse amplitude (a.u.)',
      y: 'Signal towards the ground state (a.u.)',
    },
    marks,
  );
}
