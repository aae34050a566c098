/** What the RMS of honest pulls lies between. */
export const HONEST = { from: 0.85, to: 1.2 };
/** Deviations of the RMS that chance is allowed. */
const CHANCE = 2;
/** Standard errors that contain 68 % and 95 % of honest pulls with a normal distribution. */
const WITHIN = { most: 1, nearlyAll: 1.96 };

/** Pulls of one quantity: deviations from the truth in standard errors. */
export interface PullSummary {
  count: number;
  bias: number;
  rms: number;
  /**
   * Parts within the error and within the reach of 95 %: where pulls cannot be normal, as those of a size which is not
   * below 0 or of a moment between two rounds, these tell more than the RMS.
   */
  within: { most: number; nearlyAll: number };
  /** Whether the RMS lies beside what is honest by more than chance. */
  beside: boolean;
}

export function summaryOf(pulls: readonly number[]): PullSummary {
  const count = pulls.length;
  const meanOf = (of: (pull: number) => number) => pulls.reduce((sum, pull) => sum + of(pull), 0) / count;
  const square = meanOf((pull) => pull ** 2);
  const rms = Math.sqrt(square);
  const part = (reach: number) => meanOf((pull) => (Math.abs(pull) <= reach ? 1 : 0));
  const scatter = relativeScatter(count, meanOf((pull) => pull ** 4) / square ** 2);
  return {
    count,
    bias: meanOf((pull) => pull),
    rms,
    within: { most: part(WITHIN.most), nearlyAll: part(WITHIN.nearlyAll) },
    beside: rms < HONEST.from * (1 - CHANCE * scatter) || rms > HONEST.to * (1 + CHANCE * scatter),
  };
}

/**
 * By which part of it the RMS of n pulls scatters: 1/√(2n) where they are normal, more where a few of them lie far out,
 * √((m₄/m₂² − 1) / 4n) by their moments (their m₄/m₂² is 3 where they are normal).
 */
function relativeScatter(count: number, kurtosis: number): number {
  return Math.sqrt((Math.max(3, kurtosis) - 1) / (4 * count));
}
