import type { Dataset } from '../../science/datasets/model.ts';
import { datasetProblem } from '../../science/datasets/rules.ts';
import { ROUNDING } from '../../science/fitting/axis-departure.ts';
import type { Estimate } from '../../science/fitting/estimate.ts';
import { fitFringes } from '../../science/fitting/fringes.ts';
import {
  type CurveModel,
  type Fit,
  fitCurve,
  type SuccessfulFit,
} from '../../science/fitting/least-squares.ts';
import { signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { rowsOf } from '../../science/fitting/population-scale.ts';
import { mean, standardDeviation } from '../../science/fitting/statistics.ts';
import type { Complex } from '../../science/quantum/complex.ts';

/** The results of one round. Frequencies in GHz, T1 as its logarithm in ns. */
export interface Round {
  /** Seconds after the first round. */
  at: number;
  logT1: Estimate;
  fringe: Estimate;
  /** Logarithm of the distance of both states. */
  logDistance: Estimate;
  /** Residuals of both fits, in expected deviations. */
  residuals: number[];
}

const VARIABLES = ['decay', 'x', 'y', 'prepared'] as const;
type Variable = (typeof VARIABLES)[number];
/** The dimension of each variable within a round. */
const DIMENSIONS: Record<Variable, string> = { decay: 'delay', x: 'time', y: 'time', prepared: 'state' };

/** Signals of a round in the IQ plane. */
type Signals = Record<Variable, Complex[]>;

interface Rounds {
  at: number[];
  delays: number[];
  times: number[];
  states: number[];
  signals: Signals[];
}

/** All measured rounds; a message if something is missing. */
export function readRounds(dataset: Dataset): Rounds | string {
  const problem = datasetProblem(dataset);
  if (problem !== null) return problem;
  const axis = (name: string) =>
    (dataset.coordinates[name]?.values ?? []).map((value) => value ?? Number.NaN);
  const at = axis('round');
  if (at.length === 0) return 'the dataset has no rounds';
  const rows = new Map<Variable, Complex[][]>();
  for (const name of VARIABLES) {
    const dim = DIMENSIONS[name];
    const [re, im] = [`${name}_re`, `${name}_im`].map((part) => rowsOf(dataset, part, ['round', dim]));
    if (re === undefined || im === undefined) {
      return `the dataset has no ${name}_re and ${name}_im over round and ${dim}`;
    }
    rows.set(
      name,
      re.map((row, round) =>
        row.map((value, place) => ({ re: value ?? Number.NaN, im: im[round]?.[place] ?? Number.NaN })),
      ),
    );
  }
  const signal = (name: Variable, round: number) => rows.get(name)?.[round] ?? [];
  return {
    at,
    delays: axis('delay'),
    times: axis('time'),
    states: axis('state'),
    signals: at.map((_, round) => ({
      decay: signal('decay', round),
      x: signal('x', round),
      y: signal('y', round),
      prepared: signal('prepared', round),
    })),
  };
}

/** Signals of a round along the axis of both states: 0 in the ground state, 1 in the excited state. */
interface Scaled {
  distance: number;
  along: Record<Variable, number[]>;
  /** Distances of the prepared states from their means, across that axis. */
  across: number[];
  /** Distances of the prepared ground states along that axis. They have little projection noise. */
  ofGround: number[];
}

function scaled(signals: Signals, states: readonly number[]): Scaled {
  const centre = (state: number) => {
    const points = signals.prepared.filter((_, place) => states[place] === state);
    return { re: mean(points.map(({ re }) => re)), im: mean(points.map(({ im }) => im)) };
  };
  const [ground, excited] = [centre(0), centre(1)];
  const distance = Math.hypot(excited.re - ground.re, excited.im - ground.im);
  const [cos, sin] = [(excited.re - ground.re) / distance, (excited.im - ground.im) / distance];
  const along = ({ re, im }: Complex) => ((re - ground.re) * cos + (im - ground.im) * sin) / distance;
  return {
    distance,
    along: {
      decay: signals.decay.map(along),
      x: signals.x.map(along),
      y: signals.y.map(along),
      prepared: signals.prepared.map(along),
    },
    ofGround: signals.prepared.flatMap((each, place) =>
      states[place] === 0 ? [distance * along(each)] : [],
    ),
    across: signals.prepared.map((each, place) => {
      const own = states[place] === 0 ? ground : excited;
      return (each.im - own.im) * cos - (each.re - own.re) * sin;
    }),
  };
}

/** y = C + A e^(−t / e^L). The prepared states are its ends. */
const decayModel: CurveModel = {
  evaluate: ([scale = 0, log = 0, end = 0], t) => end + scale * Math.exp(-t / Math.exp(log)),
  gradient([scale = 0, log = 0], t) {
    const turns = t / Math.exp(log);
    const kept = Math.exp(-turns);
    return [kept, Number.isFinite(turns) ? scale * kept * turns : 0, 1];
  },
};

/** Fits each round separately, and omits rounds that cannot be fitted. */
export function fitRounds({ at, delays, times, states, signals }: Rounds, shots: number): Round[] {
  const all = signals.map((each) => scaled(each, states));
  // The two means of each round's prepared states use two degrees of freedom.
  const freedom = Math.sqrt(states.length / Math.max(1, states.length - 2));
  const deviationOf = (values: number[]) => standardDeviation(values, 0) * freedom;
  const across = deviationOf(all.flatMap((each) => each.across));
  // A signal of one quadrature has no noise across its axis.
  const isSeen = across > ROUNDING * Math.max(...all.map(({ distance }) => distance));
  const noise = isSeen ? across : deviationOf(all.flatMap(({ ofGround }) => ofGround));
  return all.flatMap((round, index) => {
    const found = fitRound(round, { delays, times, states, shots, across: noise / round.distance });
    return found === null ? [] : [{ at: at[index] ?? 0, ...found }];
  });
}

interface RoundAxes {
  delays: readonly number[];
  times: readonly number[];
  states: readonly number[];
  shots: number;
  /** Standard deviation of a point across the axis, as a fraction of the distance. */
  across: number;
}

function fitRound(
  { distance, along }: Scaled,
  { delays, times, states, shots, across }: RoundAxes,
): Omit<Round, 'at'> | null {
  const sigmaOf = (expected: readonly number[]) =>
    signalDeviations(expected, { ground: 0, excited: 1 }, across, shots);
  const t = [...delays, ...states.map((state) => (state === 0 ? Number.POSITIVE_INFINITY : 0))];
  const decay = [...along.decay, ...along.prepared];
  const logs = delays.map((delay) => Math.log(delay)).sort((a, b) => a - b);
  const fitDecay = (start: readonly number[], sigma?: readonly number[]) =>
    fitCurve({ x: t, y: decay, model: decayModel, start, scale: [1, 0.3, 1], sigma });
  const rough = bestOf(logs.map((log) => fitDecay([1, log, 0])));
  if (rough?.ok !== true) return null;
  const decaySigma = sigmaOf(t.map((each) => decayModel.evaluate(rough.parameters, each)));
  if (decaySigma === undefined) return null;
  const fit = fitDecay(rough.parameters, decaySigma);
  const fringes = fitFringes(times, along.x, along.y);
  if (!fit.ok || !fringes.fit.ok) return null;
  const fringeSigma = sigmaOf(fringes.fitted);
  if (fringeSigma === undefined) return null;
  const fine = fitFringes(times, along.x, along.y, fringeSigma);
  if (!fine.fit.ok) return null;
  const ofDecay = decay.map(
    (value, place) =>
      (value - decayModel.evaluate(fit.parameters, t[place] ?? 0)) / (decaySigma[place] ?? Number.NaN),
  );
  const ofFringes = [...along.x, ...along.y].map(
    (value, place) => (value - (fine.fitted[place] ?? 0)) / (fringeSigma[place] ?? Number.NaN),
  );
  const excited = along.prepared.filter((_, place) => states[place] === 1);
  const preparedSigma = sigmaOf([0, 1]) ?? [];
  const found = {
    logT1: withKnownNoise(fit, 1, ofDecay),
    fringe: withKnownNoise(fine.fit, 1, ofFringes),
    logDistance: {
      value: Math.log(distance),
      error: Math.hypot(...preparedSigma) / Math.sqrt(Math.max(1, excited.length)),
    },
    residuals: [...ofDecay, ...ofFringes],
  };
  return [found.logT1, found.fringe, found.logDistance].every(
    ({ value, error }) => Number.isFinite(value) && error > 0,
  )
    ? found
    : null;
}

function bestOf(fits: readonly Fit[]): Fit | undefined {
  return fits.reduce<Fit | undefined>(
    (best, fit) => (fit.ok && (best?.ok !== true || fit.r2 > best.r2) ? fit : best),
    undefined,
  );
}

/** The error from the known noise, which is more precise than an estimate from few residuals. */
function withKnownNoise(fit: SuccessfulFit, index: number, residuals: readonly number[]): Estimate {
  const freedom = residuals.length - fit.parameters.length;
  const chiSquare = residuals.reduce((sum, value) => sum + value ** 2, 0) / freedom;
  return {
    value: fit.parameters[index] ?? Number.NaN,
    error: (fit.errors[index] ?? Number.NaN) / Math.sqrt(chiSquare),
  };
}
