import { type Complex, times } from '../quantum/complex.ts';
import { type Fit, fitCurve } from './least-squares.ts';
import { bothQuadratures, type ComplexPoint, slopesByDifferences } from './quadratures.ts';
import { type ReflectionPoint, type ResonatorFit, solveLine } from './resonator-fit.ts';

/** A resonator in both states of its qubit, each prepared with an admixture of the other. */
export interface MixedReflections {
  fit: Fit;
  /** Parameters 0 and 1 are the frequencies (GHz) in the ground and excited state, relative to this one. */
  centre: number;
}

/** Prior for the fraction of excited shots after a usual preparation, with its error. */
const EXCITED_UNTOUCHED = { value: 0.02, error: 0.05 };
const EXCITED_BY_PULSE = { value: 0.93, error: 0.12 };
/** Codes of the prepared states, stored in the power of a point, which is not needed here. */
const [GROUND, EXCITED, KNOWN] = [0, 1, 2];
/** Number of fits: first with the noise of the single traces, then with that of the first fit. */
const ROUNDS = 2;

/**
 * Fits the averaged reflections of a resonator in both states of its qubit at once. Neither state is pure: its signal
 * is (1 − p) S(f₀) + p S(f₁) with the fraction p of excited shots, and the fit of a single line to it is shifted
 * towards the other line by about that fraction of their distance. If the lines are well separated, their shape
 * determines p; otherwise the usual quality of preparations is assumed, and the error of the shift includes its
 * uncertainty. Parameters: f₀, f₁, κ_ex, κ_in, Re c, Im c, τ (ns), p untouched, p excited.
 *
 * @param single fits of a single line to each state
 */
export function fitMixedReflections(
  ground: readonly ReflectionPoint[],
  excited: readonly ReflectionPoint[],
  single: { ground: ResonatorFit; excited: ResonatorFit },
): MixedReflections | null {
  const [first, second] = [single.ground, single.excited];
  if (!first.fit.ok || !second.fit.ok) return null;
  const centre = (first.frequency + second.frequency) / 2;
  const mean = (index: number) => {
    const [a, b] = [first.fit, second.fit].map((fit) => (fit.ok ? (fit.parameters[index] ?? 0) : 0));
    return ((a ?? 0) + (b ?? 0)) / 2;
  };
  const [external, internal, delay] = [mean(1), mean(2), mean(5)];
  const kappa = Math.abs(external + internal);
  const reflection = (detuning: number, parameters: readonly number[]): Complex => {
    const [, , outward = 0, lost = 0] = parameters;
    const width = outward + lost;
    const size = width ** 2 + (2 * detuning) ** 2;
    return { re: 1 - (2 * outward * width) / size, im: (4 * outward * detuning) / size };
  };
  const mixedAt = (parameters: readonly number[], frequency: number, state: number): Complex => {
    const [atGround = 0, atExcited = 0, , , , , tau = 0, untouched = 0, pulsed = 0] = parameters;
    const part = state === GROUND ? untouched : pulsed;
    const offset = frequency - centre;
    const [one, other] = [
      reflection(offset - atGround, parameters),
      reflection(offset - atExcited, parameters),
    ];
    const phase = -2 * Math.PI * offset * tau;
    return times(
      { re: (1 - part) * one.re + part * other.re, im: (1 - part) * one.im + part * other.im },
      { re: Math.cos(phase), im: Math.sin(phase) },
    );
  };
  const evaluate = (parameters: readonly number[], frequency: number, state: number): Complex => {
    const [, , , , re = 0, im = 0, , untouched = 0, pulsed = 0] = parameters;
    return state === KNOWN
      ? { re: untouched / EXCITED_UNTOUCHED.error, im: pulsed / EXCITED_BY_PULSE.error }
      : times(mixedAt(parameters, frequency, state), { re, im });
  };
  const measured = [
    ...ground.map((point) => ({ ...point, power: GROUND })),
    ...excited.map((point) => ({ ...point, power: EXCITED })),
  ];
  const scale = [kappa, kappa, kappa, kappa, 1, 1, 1 / (20 * Math.PI * kappa), 0.1, 0.1];
  const rough = [
    first.frequency - centre,
    second.frequency - centre,
    external,
    internal,
    0,
    0,
    delay,
    EXCITED_UNTOUCHED.value,
    EXCITED_BY_PULSE.value,
  ];
  const line = solveLine(
    measured,
    measured.map(({ frequency, power }) => mixedAt(rough, frequency, power)),
  );
  let start = rough.with(4, line.re).with(5, line.im);
  let noise = deviationOf(measured, evaluate, start);
  let fit: Fit = first.fit;
  for (let round = 0; round < ROUNDS; round++) {
    const known: ComplexPoint = {
      frequency: centre,
      power: KNOWN,
      re: EXCITED_UNTOUCHED.value / EXCITED_UNTOUCHED.error,
      im: EXCITED_BY_PULSE.value / EXCITED_BY_PULSE.error,
      sigma: 1,
    };
    const points = [...measured.map((point) => ({ ...point, sigma: noise })), known];
    const slopes = slopesByDifferences(
      evaluate,
      scale.map((each) => 1e-5 * each),
    );
    fit = fitCurve({ ...bothQuadratures(points, evaluate, slopes), start, scale });
    if (!fit.ok) return null;
    start = fit.parameters;
    noise = deviationOf(measured, evaluate, start);
  }
  return { fit, centre };
}

/** Root mean square of the residuals of both quadratures. */
function deviationOf(
  points: readonly ComplexPoint[],
  evaluate: (parameters: readonly number[], frequency: number, state: number) => Complex,
  parameters: readonly number[],
): number {
  const squares = points.reduce((sum, { frequency, power, re, im }) => {
    const expected = evaluate(parameters, frequency, power);
    return sum + (re - expected.re) ** 2 + (im - expected.im) ** 2;
  }, 0);
  return Math.sqrt(squares / Math.max(1, 2 * points.length - parameters.length)) || Number.MIN_VALUE;
}
