/**
 * Average infidelity of a one-qubit gate that only relaxation and dephasing disturb:
 * 1 − F = (3 − 2 e^(−t/T2) − e^(−t/T1)) / 6 (facts-calibration 1.6).
 *
 * @param time duration of the gate, in the unit of both times
 */
export function coherenceInfidelity(time: number, t1: number, t2: number): number {
  // expm1 keeps the digits of times much shorter than T1 and T2.
  return -(2 * Math.expm1(-time / t2) + Math.expm1(-time / t1)) / 6;
}
