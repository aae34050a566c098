/** Fraction of a normal distribution within one standard deviation of its mean. */
const WITHIN_ONE_DEVIATION = 0.682_689_492;

/**
 * Half width of the 68 % confidence interval of a mean, in standard errors that were estimated from the scatter of the
 * same values: Student's t with `freedom` degrees of freedom. It falls from 1.84 for one degree of freedom to 1.
 */
export function studentReach(freedom: number): number {
  // With t = √freedom tan θ, the density over θ is proportional to cos^(freedom − 1) θ.
  const whole = integral(Math.PI / 2, freedom);
  let [low, high] = [0, Math.PI / 2];
  for (let round = 0; round < 50; round++) {
    const middle = (low + high) / 2;
    if (integral(middle, freedom) < WITHIN_ONE_DEVIATION * whole) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/** ∫ cos^(freedom − 1) from 0 to the angle, by Simpson's rule. */
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
