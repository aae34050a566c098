/** Φ(x), by the integral's series. */
export function normalDistribution(x: number): number {
  let [term, sum] = [x, x];
  for (let n = 1; n < 200; n++) {
    term *= (x * x) / (2 * n + 1);
    sum += term;
  }
  return 0.5 + sum * (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI));
}
