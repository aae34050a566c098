import { estimateText } from '../science/fitting/estimate.ts';
import type { CheckedValue, CheckFinding, CheckOutcome, CheckPlan, CheckVerdict } from './check-model.ts';
import { checkOf } from './checks.ts';
import { type GatedResult, type GatedTask, gate } from './gates.ts';

/** A value that is off by this many tolerances must not be taken to be within its tolerance. Between both, either is right. */
export const BEYOND = 1.5;
/** Where both are as likely. */
export const LIMIT = (1 + BEYOND) / 2;
/**
 * The less likely hypothesis must be further away than this many standard errors. Of values that lie anywhere within and beyond
 * the limits, few lie so close to one that this excludes the wrong hypothesis.
 */
const EXCLUDED = 1.3;
/** Errors in tolerances with which every value is decided. */
export const DECISIVE_ERROR = (BEYOND - 1) / 2 / EXCLUDED;

/**
 * Decides by what the task's own analysis found. Data that its gates refuse are bad. Otherwise each value is compared with its
 * tolerance by the likelihoods of two hypotheses, "within one tolerance" and "beyond {@link BEYOND} tolerances": for a normal
 * estimate the greater one is that of the nearer limit. Bad are also data whose errors are so large that they exclude neither.
 */
export function judgeCheck(
  task: GatedTask,
  { values }: Pick<CheckPlan, 'values'>,
  result: GatedResult,
): CheckVerdict {
  // An r2 against perfect pulses is low for pulses that are off, which is what the check must detect.
  const { isAgainstPerfect = false, tests = {} } = checkOf(task.name) ?? {};
  const refusal = gate(
    {
      ...task,
      ...(isAgainstPerfect && { r2Threshold: null }),
      // A tested value beyond its bounds is off, and no sign of bad data.
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
  // One value that is off decides, even if another one is open.
  const outcome =
    (['out_of_specification', 'bad_data'] as const).find((each) =>
      judged.some((value) => value.outcome === each),
    ) ?? 'in_specification';
  const deciding = judged.filter((value) => value.outcome === outcome).map(({ message }) => message);
  const reason = `${deciding.join(' ')}${outcome === 'bad_data' ? ' That does not decide.' : ''}`;
  return { outcome, reason, findings };
}

/** The value nearest to the expected one, of all that are equivalent to this one. */
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
