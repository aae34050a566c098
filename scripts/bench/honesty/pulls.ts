/** Range of the RMS of honest pulls. */
export const HONEST = { from: 0.85, to: 1.2 };
/** Deviations of the RMS that count as chance. */
const CHANCE = 2;
/** Standard errors that contain 68 % and 95 % of honest pulls with a normal distribution. */
const WITHIN = { most: 1, nearlyAll: 1.96 };

/** Pulls of one quantity: deviations from the truth in standard errors. */
export interface PullSummary {
  count: number;
  bias: number;
  rms: number;
  /**
   * Fractions within the error and within the 95 % interval. They are more informative than the RMS if pulls cannot be
   * normal, such as those of a quantity that is not negative, or of a time between two rounds.
   */
  within: { most: number; nearlyAll: number };
  /** Whether the RMS is outside of the honest range by more than chance. */
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
 * Relative scatter of the RMS of n pulls: 1/√(2n) for normal pulls, more if there are outliers, √((m₄/m₂² − 1) / 4n) by
 * their moments (m₄/m₂² is 3 for normal pulls).
 */
function relativeScatter(count: number, kurtosis: number): number {
  return Math.sqrt((Math.max(3, kurtosis) - 1) / (4 * count));
}
