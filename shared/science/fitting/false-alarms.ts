/**
 * Number of curves for each false alarm of a test for a changed instrument. A refused curve may end the calibration of
 * its qubit. Daily calibration of 64 qubits measures about 2,000 curves a day, so each test gives one false alarm a
 * month.
 */
export const CURVES_TO_FALSE_ALARM = 50_000;

/** The number of standard deviations that a normally distributed value exceeds, in either direction, with this probability. */
export function deviationsFor(probability: number): number {
  let [low, high] = [0, 12];
  for (let round = 0; round < 40; round++) {
    const middle = (low + high) / 2;
    if (probabilityBeyond(middle) > probability) low = middle;
    else high = middle;
  }
  return high;
}

/** √(2/π) ∫ e^(−t²/2) dt from c to infinity, by Simpson's rule. The part beyond c + 8 is negligible. */
function probabilityBeyond(c: number): number {
  const steps = 200;
  const width = 8 / steps;
  let sum = 0;
  for (let step = 0; step <= steps; step++) {
    const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-((c + step * width) ** 2) / 2);
  }
  return Math.sqrt(2 / Math.PI) * ((width * sum) / 3);
}
