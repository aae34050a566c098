import { readComplexSweep } from '../datasets/rules.ts';
import { composeFigure, lineTrace, pointsTrace } from '../figures/compose.ts';
import { estimateText } from './estimate-text.ts';
import type { Fit } from './least-squares.ts';
import type { Analysis, AnalysisInput } from './model.ts';
import { fitName, sweepProblem, withoutFigures } from './parts.ts';
import { inOrder } from './phases.ts';
import { fitReflection } from './resonator-fit.ts';
import { stepMap } from './resonator-map.ts';

const USUAL_KAPPA = 0.005;
const FEWEST_POINTS = 12;
const CURVE_POINTS = 201;

/** Fits the complex reflection `iq_re`, `iq_im` over `frequency` (GHz) of one resonator. */
export function analyseReflectionCoefficient(input: AnalysisInput): Analysis {
  const read = readComplexSweep(input.dataset, 'frequency', 'iq');
  if (typeof read === 'string') return withoutFigures(read);
  const unusable = sweepProblem(read);
  if (unusable !== null) return withoutFigures(unusable);
  if (read.x.length < FEWEST_POINTS) {
    return withoutFigures(`${read.x.length} points are too few to fit a reflection`);
  }
  const sweep = inOrder(read);
  const { delay, steps } = stepMap({ x: sweep.x, y: [0], re: [sweep.re], im: [sweep.im] });
  const row = steps[0] ?? [];
  // Where the phase runs fastest within a line width, not where noise makes it jump once.
  const spacing = ((sweep.x.at(-1) ?? 0) - (sweep.x[0] ?? 0)) / (sweep.x.length - 1);
  const reach = Math.max(1, Math.round(USUAL_KAPPA / spacing / 2));
  const sums = row.map((_, index) =>
    row.slice(Math.max(0, index - reach), index + reach + 1).reduce((sum, step) => sum + step, 0),
  );
  const at = sweep.x[sums.indexOf(Math.max(...sums))] ?? 0;
  const points = sweep.x.map((frequency, index) => ({
    frequency,
    power: 0,
    re: sweep.re[index] ?? 0,
    im: sweep.im[index] ?? 0,
    sigma: 1,
  }));
  const { fit, frequency, evaluate } = fitReflection(points, {
    start: { frequency: at, kappa: USUAL_KAPPA, delay },
  });
  const refused = refusal(sweep.x, fit, frequency);
  const data = [pointsTrace('data', sweep.re, sweep.im)];
  if (fit.ok) {
    const [from = 0, to = 0] = [sweep.x[0], sweep.x.at(-1)];
    const curve = Array.from({ length: CURVE_POINTS }, (_, index) =>
      evaluate(from + ((to - from) * index) / (CURVE_POINTS - 1), 0),
    );
    data.push(
      lineTrace(
        fitName(fit.r2),
        curve.map(({ re }) => re),
        curve.map(({ im }) => im),
      ),
    );
  }
  const [, external = 0, internal = 0] = fit.ok ? fit.parameters : [];
  const [error = 0, externalError = 0, internalError = 0] = fit.ok ? fit.errors : [];
  const outputs = {
    resonator_frequency: { value: frequency, error },
    kappa_external: { value: 1000 * external, error: 1000 * externalError },
    kappa_internal: { value: 1000 * internal, error: 1000 * internalError },
  };
  const said = refused === null ? `f = ${estimateText(outputs.resonator_frequency, 'GHz')}` : 'no usable fit';
  const figure = composeFigure(data, {
    title: `${input.task.name} · qubit ${input.qid} · ${said}`,
    x: 'Re S11',
    y: 'Im S11',
    equalAspect: true,
  });
  if (refused !== null) return { outputs: {}, r2: fit.r2, figures: [figure], refused };
  return { outputs, r2: fit.r2, figures: [figure] };
}

/** Why the fit cannot be used, in numbers; null when it can. */
function refusal(x: readonly number[], fit: Fit, frequency: number): string | null {
  if (!fit.ok) return fit.message;
  const [, external = 0, internal = 0] = fit.parameters;
  const [error = 0, externalError = 0] = fit.errors;
  const [from, to] = [Math.min(...x), Math.max(...x)];
  if (!(frequency > from && frequency < to)) {
    return `the resonator lies outside of the sweep: ${estimateText({ value: frequency, error }, 'GHz')}`;
  }
  const width = external + internal;
  if (!(external > 5 * externalError) || !(width > 0) || width > to - from) {
    return `no resonator is resolved: its width would be ${estimateText({ value: 1000 * width, error: 1000 * externalError }, 'MHz')}`;
  }
  return null;
}
