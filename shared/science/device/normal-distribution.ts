/** Distribution function of the standard normal (https://personal.math.ubc.ca/~cbm/aands/page_299.htm, good to 1.5e-7). */
export function normalCumulative(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (polynomial * Math.exp((-x * x) / 2)) / 2;
  return x > 0 ? 1 - tail : tail;
}
