import { estimateText } from '../science/fitting/estimate.ts';
import type { CheckedValue, CheckFinding, CheckOutcome, CheckPlan, CheckVerdict } from './check-model.ts';
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

/** What an analysis found of a check's data. */
export interface CheckedResult extends GatedResult {
  outputs: Readonly<Record<string, { value: number; error: number }>>;
}

/**
 * Decides by what the task's own analysis found. Data that its gates refuse are bad. Otherwise each value is compared with its
 * tolerance by the likelihoods of two hypotheses, "within one tolerance" and "beyond {@link BEYOND} tolerances": for a normal
 * estimate the greater one is that of the nearer limit. Bad are also data whose errors are so large that they exclude neither.
 */
export function judgeCheck(
  task: GatedTask,
  { values }: Pick<CheckPlan, 'values'>,
  result: CheckedResult,
): CheckVerdict {
  const refusal = gate(task, result);
  if (refusal !== null) return { outcome: 'bad_data', reason: refusal.message, findings: {} };
  const missing = Object.keys(values).find((name) => result.outputs[name] === undefined);
  if (missing !== undefined) {
    return { outcome: 'bad_data', reason: `The check found no ${missing}.`, findings: {} };
  }
  const findings = Object.fromEntries(
    Object.entries(values).map(([name, checked]) => {
      const { value = Number.NaN, error = Number.NaN } = result.outputs[name] ?? {};
      return [name, { ...checked, found: value, error }];
    }),
  );
  const judged = Object.entries(findings).map(([name, finding]) => ({
    outcome: outcomeOf(finding),
    sentence: sentenceOf(name, finding),
  }));
  // One value that is off decides, even if another one is open.
  const outcome =
    (['out_of_specification', 'bad_data'] as const).find((each) =>
      judged.some((value) => value.outcome === each),
    ) ?? 'in_specification';
  const deciding = judged.filter((value) => value.outcome === outcome).map(({ sentence }) => sentence);
  const reason = `${deciding.join(' ')}${outcome === 'bad_data' ? ' That does not decide.' : ''}`;
  return { outcome, reason, findings };
}

function outcomeOf({ value, tolerance, found, error }: CheckFinding): CheckOutcome {
  const off = Math.abs(found - value) / tolerance;
  const deviation = error / tolerance;
  if (off < LIMIT) return off + EXCLUDED * deviation <= BEYOND ? 'in_specification' : 'bad_data';
  return off - EXCLUDED * deviation >= 1 ? 'out_of_specification' : 'bad_data';
}

function sentenceOf(name: string, { value, tolerance, found, error }: CheckFinding): string {
  const off = Math.abs(found - value) / tolerance;
  const expected: CheckedValue = { value, tolerance };
  return `${name} is ${estimateText({ value: found, error }, '')}, ${off.toFixed(2)} tolerances from ${numberText(expected.value)} (tolerance ${numberText(expected.tolerance)}).`;
}

function numberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}
