import { errorsOfOneShot } from '../science/fitting/expected-errors.ts';
import { DECISIVE_ERROR, LIMIT } from './check-judging.ts';
import type {
  CheckCandidate,
  CheckedValue,
  CheckForm,
  CheckPlan,
  CheckSubject,
  Tolerance,
} from './check-model.ts';
import { numberOf } from './common/parameters.ts';

/** Maximum hardware time of a check, as a fraction of the task's. */
const LARGEST_PART = 0.15;
/** Fraction of the task's shots in a check that measures all points of the task. */
const PART_OF_SHOTS = 0.14;
/** Ratio of planned errors to decisive errors, as a margin for devices that are noisier than expected. */
const RESERVE = 0.7;
/** Maximum ratio of expected errors to decisive errors. Beyond it, too many values remain undecided. */
const MAX_OPEN = 2.5;
/** Minimum number of shots. With fewer, the noise of a point is hard to predict, and bad data are hard to detect. */
const MIN_SHOTS = 256;

/**
 * Plans the check of a target: its run parameters, and the expected values with their tolerances.
 * @returns a message if the check is impossible
 */
export function planCheck(form: CheckForm, subject: CheckSubject): CheckPlan | string {
  const values = checkedValues(form, subject);
  if (typeof values === 'string') return values;
  const shots = numberOf(subject.run.shots) ?? form.shots;
  if (shots === undefined) return 'The number of shots of the task is unknown.';
  if (form.candidates === undefined) {
    return { run: { shots: whole(Math.max(1, Math.floor(PART_OF_SHOTS * shots))) }, values };
  }
  const candidates = form.candidates(subject);
  if (typeof candidates === 'string') return candidates;
  const budget = LARGEST_PART * shots * (form.pointsOfAll?.(subject.run) ?? 0);
  const best = bestOf(candidates, { budget, values: Object.values(values) });
  if (best === null || best.error > MAX_OPEN * DECISIVE_ERROR) {
    return `No check within ${100 * LARGEST_PART} % of the task's time determines the values well enough.`;
  }
  return { run: { ...best.candidate.run, shots: whole(best.shots) }, values };
}

/** A sweep with its shots; `error` is the largest expected error, in tolerances. */
interface Planned {
  candidate: CheckCandidate;
  shots: number;
  error: number;
}

/** The cheapest sweep with sufficiently small errors; if the budget allows none, the sweep with the smallest error. */
function bestOf(
  candidates: readonly CheckCandidate[],
  { budget, values }: { budget: number; values: readonly CheckedValue[] },
): Planned | null {
  const wanted = RESERVE * DECISIVE_ERROR;
  const cost = ({ candidate, shots }: Planned) => candidate.points * shots;
  let best: Planned | null = null;
  for (const candidate of candidates) {
    const ofOneShot = errorAtLimits(candidate, values);
    const affordable = Math.floor(budget / candidate.points);
    if (affordable < MIN_SHOTS || !Number.isFinite(ofOneShot)) continue;
    const shots = Math.min(affordable, Math.max(MIN_SHOTS, Math.ceil((ofOneShot / wanted) ** 2)));
    const planned = { candidate, shots, error: ofOneShot / Math.sqrt(shots) };
    const isBetter =
      best === null ||
      (Math.max(planned.error, best.error) > wanted
        ? planned.error < best.error
        : cost(planned) < cost(best));
    if (isBetter) best = planned;
  }
  return best;
}

function whole(value: number) {
  return { value, value_type: 'int' };
}

/** The tested values with their tolerances; a message if a value is not stored. */
function checkedValues(
  { tests }: CheckForm,
  { values, tolerances = {} }: CheckSubject,
): Record<string, CheckedValue> | string {
  const missing = Object.entries(tests).flatMap(([name, { shouldBe }]) =>
    (shouldBe ?? values[name]) === undefined ? [name] : [],
  );
  if (missing.length > 0) return `There is no stored value to check: ${missing.join(', ')}.`;
  return Object.fromEntries(
    Object.entries(tests).map(([name, test]) => {
      const value = test.shouldBe ?? values[name] ?? Number.NaN;
      const own = toleranceAt(value, test);
      const configured = tolerances[name] === undefined ? own : toleranceAt(value, tolerances[name]);
      return [name, { value, tolerance: test.isFinest ? Math.max(own, configured) : configured }];
    }),
  );
}

/** A tolerance in the unit of its value. */
function toleranceAt(value: number, { tolerance, of }: Tolerance): number {
  return of === 'value' ? tolerance * Math.abs(value) : tolerance;
}

/** Largest error of one shot, in tolerances, for a value at the deciding limit. */
function errorAtLimits({ model }: CheckCandidate, values: readonly CheckedValue[]): number {
  const tolerances = values.map(({ tolerance }) => tolerance);
  const errors = values.flatMap(({ tolerance }, index) =>
    [-1, 1].map((sign) => {
      const moved = model.values.map((value, place) =>
        place === index ? value + sign * LIMIT * tolerance : value,
      );
      return errorsOfOneShot({ ...model, values: moved }, tolerances)[index] ?? Number.POSITIVE_INFINITY;
    }),
  );
  return Math.max(...errors);
}
