import { estimateText } from '../science/fitting/estimate.ts';
import type { CheckedValue, CheckFinding, CheckOutcome, CheckPlan, CheckVerdict } from './check-model.ts';
import { checkOf } from './checks.ts';
import { type GatedResult, type GatedTask, gate } from './gates.ts';

/**
 * A value that deviates by this number of tolerances must not be accepted. Between one tolerance and this number,
 * either answer is correct.
 */
export const BEYOND = 1.5;
/** Deviation, in tolerances, at which both hypotheses are equally likely. */
export const LIMIT = (1 + BEYOND) / 2;
/**
 * Minimum distance of the less likely hypothesis, in standard errors. It need not be larger, because few values are so
 * close to a limit that noise would exclude the correct hypothesis.
 */
const EXCLUDED = 1.3;
/** Maximum error, in tolerances, with which every value can be decided. */
export const DECISIVE_ERROR = (BEYOND - 1) / 2 / EXCLUDED;

/**
 * Decides from the result of the task's own analysis. Data that its gates refuse are bad. Otherwise each value is
 * compared with its tolerance by the likelihoods of two hypotheses, "within one tolerance" and "beyond {@link BEYOND}
 * tolerances". For a normal estimate, the likelier one is that of the nearer limit. Data are also bad if their errors
 * are so large that they exclude neither.
 */
export function judgeCheck(
  task: GatedTask,
  { values }: Pick<CheckPlan, 'values'>,
  result: GatedResult,
): CheckVerdict {
  // An r2 relative to perfect pulses is low for wrong pulses, which the check must report as out of specification.
  const { isAgainstPerfect = false, tests = {} } = checkOf(task.name) ?? {};
  const refusal = gate(
    {
      ...task,
      ...(isAgainstPerfect && { r2Threshold: null }),
      // A tested value beyond its bounds is out of specification, and not a sign of bad data.
      outputs: { ...task.outputs, ...unbounded(task, Object.keys(values)) },
    },
    result,
  );
  if (refusal !== null) return { outcome: 'bad_data', reason: refusal.message, findings: {} };
  const found = Object.entries(values).map(([name, checked]) => {
    const { value = null, error = null } = result.outputs[name] ?? {};
    if (value === null || error === null) return { name, finding: null };
    return {
      name,
      finding: { ...checked, found: nearest(value, checked.value, tests[name]?.period), error },
    };
  });
  const missing = found.find(({ finding }) => finding === null);
  if (missing !== undefined) {
    const reason = `The check found no ${missing.name} with an error.`;
    return { outcome: 'bad_data', reason, findings: {} };
  }
  const findings = Object.fromEntries(
    found.flatMap(({ name, finding }) => (finding === null ? [] : [[name, finding] as const])),
  );
  const judged = Object.entries(findings).map(([name, finding]) => ({
    outcome: outcomeOf(finding),
    message: findingMessage(name, finding),
  }));
  // One value out of specification decides the result, even if another one is undecided.
  const outcome =
    (['out_of_specification', 'bad_data'] as const).find((each) =>
      judged.some((value) => value.outcome === each),
    ) ?? 'in_specification';
  const deciding = judged.filter((value) => value.outcome === outcome).map(({ message }) => message);
  const reason = `${deciding.join(' ')}${outcome === 'bad_data' ? ' That does not decide.' : ''}`;
  return { outcome, reason, findings };
}

/** The value nearest to the expected one among all values equivalent to this one. */
function nearest(value: number, expected: number, period: number | undefined): number {
  return period === undefined ? value : value - period * Math.round((value - expected) / period);
}

function unbounded({ outputs }: GatedTask, names: readonly string[]): GatedTask['outputs'] {
  return Object.fromEntries(
    names.flatMap((name) => {
      const output = outputs[name];
      return output === undefined ? [] : [[name, { unit: output.unit }] as const];
    }),
  );
}

function outcomeOf({ value, tolerance, found, error }: CheckFinding): CheckOutcome {
  const off = Math.abs(found - value) / tolerance;
  const deviation = error / tolerance;
  if (off < LIMIT) return off + EXCLUDED * deviation <= BEYOND ? 'in_specification' : 'bad_data';
  return off - EXCLUDED * deviation >= 1 ? 'out_of_specification' : 'bad_data';
}

function findingMessage(name: string, { value, tolerance, found, error }: CheckFinding): string {
  const off = Math.abs(found - value) / tolerance;
  const expected: CheckedValue = { value, tolerance };
  return `${name} is ${estimateText({ value: found, error }, '')}, ${off.toFixed(2)} tolerances from ${numberText(expected.value)} (tolerance ${numberText(expected.tolerance)}).`;
}

function numberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}
