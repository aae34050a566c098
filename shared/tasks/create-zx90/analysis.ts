import {
  ZX90_SWEEP_GATES,
  zx90GateTime,
  zx90Plan,
  zx90Rate,
} from '../../science/conventions/cross-resonance.ts';
import { readComplexMap } from '../../science/datasets/complex-map.ts';
import { markerTrace } from '../../science/figures/compose.ts';
import { composeFit } from '../../science/figures/fit-figure.ts';
import type { Figure } from '../../science/figures/model.ts';
import { fitRoot, type RootFit } from '../../science/fitting/drag-fits.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { fitGateTrains } from '../../science/fitting/gate-trains.ts';
import { changeOfInstrument } from '../../science/fitting/instrument-drift.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { type PopulationScale, readPopulationScale } from '../../science/fitting/population-scale.ts';
import { beyondPreparedStates } from '../../science/fitting/prepared-range.ts';
import { judgeFitted } from '../../science/fitting/residuals.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import type { AnalysedInput, Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

const LARGEST_RELATIVE_ERROR = 0.05;

/**
 * Fits the amplitude at which the signals `iq` after one gate and after three, over `gates` and `amplitude`, are equal:
 * there the gate rotates by pi/2. Phases, beta and the rotary tone are unchanged; the cancel tone is scaled with the
 * amplitude.
 */
export function analyseZx90Creation(input: AnalysisInput): Analysis {
  const { dataset, inputs, runParameters } = input;
  const map = readComplexMap(dataset, 'gates', 'amplitude', 'iq');
  if (typeof map === 'string') return withoutFigures(map);
  const [once, thrice] = ZX90_SWEEP_GATES.map((count) => map.y.indexOf(count));
  if (once === undefined || thrice === undefined || once < 0 || thrice < 0) {
    return withoutFigures('the dataset does not have the signals of one gate and of three gates');
  }
  const scale = readPopulationScale(dataset);
  if (typeof scale === 'string') return withoutFigures(scale);
  const z = [once, thrice].map((row) =>
    (map.re[row] ?? []).map((re, index) => 1 - 2 * scale.population(re, map.im[row]?.[index] ?? Number.NaN)),
  );
  const [one, three] = [z[0] ?? [], z[1] ?? []];
  const difference = one.map((value, index) => value - (three[index] ?? 0));
  if (!difference.every(Number.isFinite)) return withoutFigures('some amplitudes were not measured');
  const shots = numberOf(runParameters.shots);
  const deviations = [one, three].map((values) =>
    signalDeviations(values, POLARISATION_LEVELS, 2 * scale.across, shots),
  );
  const [ofOne, ofThree] = deviations;
  const sigma =
    ofOne && ofThree
      ? ofOne.map((deviation, index) => Math.hypot(deviation, ofThree[index] ?? 0))
      : undefined;
  const root = fitRoot(map.x, difference, sigma);
  const amplitude: Estimate = {
    value: root.fit.ok ? (root.fit.parameters[0] ?? Number.NaN) : Number.NaN,
    error: root.fit.ok ? (root.fit.errors[0] ?? Number.NaN) : Number.NaN,
  };
  const misfit =
    sigma === undefined || !root.fit.ok
      ? null
      : judgeFitted(difference, {
          fitted: map.x.map(root.evaluate),
          sigma,
          across: 2 * Math.SQRT2 * scale.across,
          parameters: root.fit.parameters.length,
        }).problem;
  const refused =
    instrumentFault(dataset, ['iq'], scale) ??
    rootProblem(map.x, root, amplitude) ??
    misfit ??
    contradiction({ amplitudes: map.x, one, three }, amplitude.value, { scale, shots });
  const found = refused === null ? amplitude : undefined;
  const signal = (values: readonly number[], deviation: readonly number[] | undefined, label: string) =>
    signalFigure(input, { x: map.x, values, sigma: deviation, label }, found);
  const figures = [
    signal(one, ofOne, 'one gate'),
    signal(three, ofThree, 'three gates'),
    differenceFigure(input, { x: map.x, difference, sigma, root }, found),
  ];
  const { r2 } = root.fit;
  if (refused !== null) return { outputs: {}, r2, figures, refused };
  const outputs = gateOf(inputs, amplitude);
  if (typeof outputs === 'string') return { outputs: {}, r2, figures, refused: outputs };
  return { outputs, r2, figures };
}

/**
 * A message if three gates do not rotate the target three times as far as one gate, as if the instrument had changed;
 * otherwise null.
 */
function contradiction(
  { amplitudes, one, three }: Record<'amplitudes' | 'one' | 'three', readonly number[]>,
  quarter: number,
  { scale, shots }: { scale: PopulationScale; shots: number | undefined },
): string | null {
  const points = ZX90_SWEEP_GATES.flatMap((gates) =>
    (gates === 1 ? one : three).map((z, index) => ({ gates, amplitude: amplitudes[index] ?? 0, z })),
  );
  const across = 2 * scale.across;
  const first = fitGateTrains(points, quarter);
  const sigma = signalDeviations(first.fitted, POLARISATION_LEVELS, across, shots);
  if (!first.fit.ok || sigma === undefined) return null;
  const { fit, fitted } = fitGateTrains(points, quarter, sigma);
  if (!fit.ok) return fit.message;
  const { problem } = judgeFitted(
    points.map(({ z }) => z),
    { fitted, sigma, across, parameters: fit.parameters.length },
  );
  return problem ?? changeOfInstrument(fit, fitted) ?? beyondPreparedStates(fit, fitted, scale);
}

/** The values of the gate at the amplitude found. */
function gateOf(inputs: AnalysisInput['inputs'], amplitude: Estimate): Record<string, Estimate> | string {
  const given = (name: string): Estimate => known(inputs[name]);
  const [before, rate, hpiLength] = [
    given('cr_amplitude').value,
    given('zx_rotation_rate').value,
    given('control_drag_hpi_length').value,
  ];
  if (!(before > 0) || !(rate > 0) || !(hpiLength > 0)) {
    return 'the amplitude, the rate and the length of the pi/2 pulse of the measurement are unknown';
  }
  const { halfLengthNs: half } = zx90Plan(rate);
  const cancel = given('cancel_amplitude');
  const factor = amplitude.value / before;
  const turning = zx90Rate(half);
  return {
    cr_amplitude: amplitude,
    cr_phase: given('cr_phase'),
    cancel_amplitude: {
      value: cancel.value * factor,
      error: Math.hypot(cancel.error * factor, (cancel.value * amplitude.error) / before),
    },
    cancel_phase: given('cancel_phase'),
    cancel_beta: given('cancel_beta'),
    rotary_amplitude: given('rotary_amplitude'),
    // The relative error of the amplitude is that of the gate's angle.
    zx_rotation_rate: { value: turning, error: (turning * amplitude.error) / amplitude.value },
    zx90_gate_time: { value: zx90GateTime(half, hpiLength), error: 0 },
  };
}

function known(input: AnalysedInput | undefined): Estimate {
  return { value: numberOf(input) ?? Number.NaN, error: input?.error ?? 0 };
}

/** The reason why the root cannot be used, with numbers; null if it can. */
function rootProblem(amplitudes: readonly number[], { fit, slope }: RootFit, root: Estimate): string | null {
  if (!fit.ok) return fit.message;
  const found = estimateText(root, 'a.u.');
  if (!Number.isFinite(root.value) || !(root.error < LARGEST_RELATIVE_ERROR * root.value)) {
    return `the amplitude of the gate is not resolved: it would be ${found}`;
  }
  if (root.value < Math.min(...amplitudes) || root.value > Math.max(...amplitudes)) {
    return `the signals are not equal within the sweep: they would be at ${found}`;
  }
  // Above pi/2, the signal of three gates rises again while that of one gate still falls.
  if (!(slope < 0))
    return `at ${found} the signals cross in the wrong direction: the gate rotates by another angle`;
  return null;
}

interface DrawnSignal {
  x: readonly number[];
  values: readonly number[];
  sigma: readonly number[] | undefined;
  label: string;
}

/** The target after one or three gates, with a guide to the eye and the amplitude found. */
function signalFigure(
  input: AnalysisInput,
  { x, values, sigma, label }: DrawnSignal,
  amplitude: Estimate | undefined,
): Figure {
  const { fit, evaluate } = fitRoot(x, values, sigma);
  const curve = fit.ok ? { name: fitName(fit.r2), at: evaluate } : null;
  return composeFit(
    [{ name: 'data', x, y: values, sigma, curve }],
    {
      title: `${subjectOf(input)} · ${label}`,
      x: 'Amplitude of the cross-resonance tone (a.u.)',
      y: 'Target Z (1 ground, −1 excited)',
    },
    amplitude === undefined ? [] : [amplitudeMark(amplitude, values)],
  );
}

function amplitudeMark(amplitude: Estimate, values: readonly number[]) {
  return markerTrace('amplitude of the gate', amplitude.value, Math.min(...values), Math.max(...values));
}

function differenceFigure(
  input: AnalysisInput,
  drawn: {
    x: readonly number[];
    difference: readonly number[];
    sigma: readonly number[] | undefined;
    root: RootFit;
  },
  amplitude: Estimate | undefined,
): Figure {
  const { x, difference, sigma, root } = drawn;
  const curve = root.fit.ok ? { name: fitName(root.fit.r2), at: root.evaluate } : null;
  const found =
    amplitude === undefined ? 'no usable fit' : `CR amplitude = ${estimateText(amplitude, 'a.u.')}`;
  return composeFit(
    [{ name: 'data', x, y: difference, sigma, curve }],
    {
      title: `${subjectOf(input)} · ${found}`,
      x: 'Amplitude of the cross-resonance tone (a.u.)',
      y: 'Z after one gate less Z after three',
    },
    amplitude === undefined ? [] : [amplitudeMark(amplitude, difference)],
  );
}
