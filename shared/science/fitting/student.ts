/** Part of all values of a normal distribution that lie within one deviation of its middle. */
const WITHIN_ONE_DEVIATION = 0.682_689_492;

/**
 * Half of the range that holds a mean as often as one deviation holds a normal value, in standard errors that are read
 * from the scatter of the same values: Student's t with `freedom` degrees of freedom. It falls from 1.84 for one degree to 1.
 */
export function studentReach(freedom: number): number {
  // With t = √freedom tan θ the density is that of cos θ to the power of freedom − 1.
  const whole = integral(Math.PI / 2, freedom);
  let [low, high] = [0, Math.PI / 2];
  for (let round = 0; round < 50; round++) {
    const middle = (low + high) / 2;
    if (integral(middle, freedom) < WITHIN_ONE_DEVIATION * whole) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/** ∫ cos^(freedom − 1) from 0 on, by Simpson's rule. */
function integral(to: number, freedom: number): number {
  const steps = 400;
  const width = to / steps;
  let sum = 0;
  for (let step = 0; step <= steps; step++) {
    const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2;
    sum += weight * Math.cos(step * width) ** (freedom - 1);
  }
  return (sum * width) / 3;
}
