import { PULSE_RAMP_NS, TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import type { ComplexSweep } from '../../science/datasets/rules.ts';
import { isBetterExplainedByBend } from '../../science/fitting/axis-departure.ts';
import { fitLosses, type LossyFits, likelyLoss, undoLoss } from '../../science/fitting/gain-compression.ts';
import { type IqPoints, rotateToPrincipalAxis } from '../../science/fitting/iq-rotation.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { withoutMemory } from '../../science/fitting/point-memory.ts';
import { fitPulsedLine, type PulsedLineFit, pulsedLine } from '../../science/fitting/pulsed-line.ts';
import { sweepFault } from '../../science/fitting/residuals.ts';
import { mean } from '../../science/fitting/statistics.ts';
import { parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { AnalysisInput } from '../common/analysis/model.ts';
import { type FitWithMemory, fitAllowingMemory } from '../common/analysis/points-with-memory.ts';
import { principal, type ScaledSignal } from '../common/analysis/state-scale.ts';
import { numberOf } from '../common/parameters.ts';

/** A fitted line, and the fits for compressing amplifiers if these are known. */
export interface FittedLine {
  signal: ScaledSignal;
  judged: FitWithMemory<PulsedLineFit>;
  lossy: LossyFits | null;
  /** The reason not to trust the sweep, independent of its line. */
  fault: string | null;
}

/**
 * Fits the line along the principal axis of the points. If the amplifier probably compresses, which changes the shape
 * of the line and bends that axis, the points are corrected for the loss before the fit.
 */
export function fitLine(input: AnalysisInput, sweep: ComplexSweep): FittedLine {
  const pulse = pulseOf(input);
  const measured = fitPoints(input, sweep, pulse);
  const ends = endsOf(sweep, measured);
  const losses = { pulse, ends, undone: 0 };
  const lossy = lossyLine(sweep, measured, losses);
  const mayBeCompressed =
    measured.fault === null
      ? (measured.judged.judgement?.problem ?? null) === null
      : isBetterExplainedByBend(sweep, undefined);
  const loss = mayBeCompressed ? likelyLoss(lossy) : null;
  if (loss === null) return { ...measured, lossy };
  const undone = undoLoss(sweep, ends, loss);
  const linear = { x: sweep.x, re: [...undone.re], im: [...undone.im] };
  const found = fitPoints(input, linear, pulse);
  if (
    found.fault !== null ||
    !found.judged.found.fit.ok ||
    (found.judged.judgement?.problem ?? null) !== null
  )
    return { ...measured, lossy };
  return {
    ...found,
    lossy: lossyLine(linear, found, { pulse, ends: undoLoss(ends, ends, loss), undone: loss }),
  };
}

interface Pulse {
  lengthNs: number;
  rabi: number;
}

function pulseOf({ runParameters }: AnalysisInput): Pulse {
  return {
    lengthNs: (numberOf(runParameters.pulse_length) ?? 0) + PULSE_RAMP_NS,
    rabi: Math.SQRT2 * TARGET_RABI_FREQUENCY_GHZ * (numberOf(runParameters.relative_amplitude) ?? 1),
  };
}

function fitPoints(
  { runParameters }: AnalysisInput,
  sweep: ComplexSweep,
  pulse: Pulse,
): Omit<FittedLine, 'lossy'> {
  const signal = principal(sweep);
  const { y, across } = signal;
  const pick = (values: readonly number[], indices: readonly number[]) =>
    indices.map((index) => values[index] ?? 0);
  const judged = fitAllowingMemory<PulsedLineFit>({
    y,
    across,
    fitTo: (indices, sigma, before) =>
      fitPulsedLine(pick(sweep.x, indices), pick(y, indices), pulse, { sigma, before }),
    deviations({ fit, fitted }) {
      const [height, offset] = [parameterEstimate(fit, 0).value, parameterEstimate(fit, 3).value];
      const levels = { ground: offset, excited: offset + height };
      return signalDeviations(fitted, levels, across, numberOf(runParameters.shots));
    },
  });
  return { signal, judged, fault: sweepFault(sweep, signal.aside) };
}

/** Positions in the plane of the state that the drive does not excite, and of the state that it excites. */
function endsOf(sweep: ComplexSweep, { judged: { found } }: Pick<FittedLine, 'judged'>): IqPoints {
  const { angle, across } = rotateToPrincipalAxis(sweep);
  const [height, offset] = [parameterEstimate(found.fit, 0).value, parameterEstimate(found.fit, 3).value];
  const [cos, sin, level] = [Math.cos(angle), Math.sin(angle), mean(across)];
  const levels = [offset, offset + height];
  return {
    re: levels.map((along) => along * cos - level * sin),
    im: levels.map((along) => along * sin + level * cos),
  };
}

/** @param undone the loss that was corrected in the points and in the ends of the line */
function lossyLine(
  { x, re, im }: ComplexSweep,
  { signal, judged }: Omit<FittedLine, 'lossy'>,
  { pulse, ends, undone }: { pulse: Pulse; ends: IqPoints; undone: number },
): LossyFits | null {
  const {
    found: { fit },
    kept,
    memory,
  } = judged;
  if (!fit.ok) return null;
  const [fromRe = 0, toRe = 0] = ends.re;
  const [fromIm = 0, toIm = 0] = ends.im;
  const [dRe, dIm] = [toRe - fromRe, toIm - fromIm];
  const size = Math.hypot(dRe, dIm);
  const keeps = memory?.value ?? 0;
  const along = withoutMemory(
    x.map((_, index) => (((re[index] ?? 0) - fromRe) * dRe + ((im[index] ?? 0) - fromIm) * dIm) / size ** 2),
    keeps,
  );
  const [height, centre, rabi, offset] = [0, 1, 2, 3].map((place) => parameterEstimate(fit, place));
  if (height === undefined || centre === undefined || rabi === undefined || offset === undefined) return null;
  return fitLosses({
    model: pulsedLine(pulse.lengthNs),
    parameters: [1, centre.value, rabi.value, 0],
    errors: [height.error / size, centre.error, rabi.error, offset.error / size],
    x: kept.map((index) => x[index] ?? 0),
    y: kept.map((index) => along[index] ?? 0),
    aside: kept.map(
      (index) => (dRe * ((im[index] ?? 0) - fromIm) - dIm * ((re[index] ?? 0) - fromRe)) / size ** 2,
    ),
    sigma: kept.map((_, place) => (fit.whitened.sigma[place] ?? 1) / size / (1 - keeps)),
    ends: [],
    prepared: ends,
    areMeasured: false,
    across: signal.across / size,
    undone,
  });
}
