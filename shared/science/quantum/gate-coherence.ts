/**
 * Average infidelity of a one-qubit gate whose only errors are relaxation and dephasing: 1 − F = (3 − 2 e^(−t/T2) −
 * e^(−t/T1)) / 6.
 *
 * @param time duration of the gate, in the unit of both times
 */
export function coherenceInfidelity(time: number, t1: number, t2: number): number {
  // expm1 keeps the digits of times much shorter than T1 and T2.
  return -(2 * Math.expm1(-time / t2) + Math.expm1(-time / t1)) / 6;
}

/** T1 and T2 of a qubit, both in the same unit of time. */
export interface CoherenceTimes {
  t1: number;
  t2: number;
}

/**
 * Average infidelity of a two-qubit gate whose only errors are relaxation and dephasing of both qubits: (15 − Σ_i (2
 * e^(−t/T2i) + e^(−t/T1i)) − e^(−t/T1a − t/T1b) − 4 e^(−t/T2a − t/T2b) − 2 e^(−t/T1a − t/T2b) − 2 e^(−t/T2a − t/T1b)) /
 * 20.
 *
 * @param time duration of the gate, in the unit of all times
 */
export function pairCoherenceInfidelity(time: number, a: CoherenceTimes, b: CoherenceTimes): number {
  const lost = (rate: number) => -Math.expm1(-time * rate);
  const [relaxA, relaxB, dephaseA, dephaseB] = [1 / a.t1, 1 / b.t1, 1 / a.t2, 1 / b.t2];
  return (
    (2 * lost(dephaseA) +
      lost(relaxA) +
      2 * lost(dephaseB) +
      lost(relaxB) +
      lost(relaxA + relaxB) +
      4 * lost(dephaseA + dephaseB) +
      2 * lost(relaxA + dephaseB) +
      2 * lost(dephaseA + relaxB)) /
    20
  );
}
