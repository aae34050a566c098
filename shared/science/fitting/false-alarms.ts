/**
 * Each test reports a changed instrument for one in this many curves of a stable one. A refused curve may cost the
 * rest of a qubit's calibration, and 64 qubits that are calibrated daily measure some 2,000 curves a day: one a month.
 */
export const CURVES_TO_FALSE_ALARM = 50_000;

/** Standard deviations that a normal value exceeds to either side with the given chance. */
export function deviationsFor(chance: number): number {
  let [low, high] = [0, 12];
  for (let round = 0; round < 40; round++) {
    const middle = (low + high) / 2;
    if (chanceBeyond(middle) > chance) low = middle;
    else high = middle;
  }
  return high;
}

/** √(2/π) ∫ e^(−t²/2) dt from c on, by Simpson's rule. The part beyond c + 8 is negligible. */
function chanceBeyond(c: number): number {
  const steps = 200;
  const width = 8 / steps;
  let sum = 0;
  for (let step = 0; step <= steps; step++) {
    const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-((c + step * width) ** 2) / 2);
  }
  return Math.sqrt(2 / Math.PI) * ((width * sum) / 3);
}
