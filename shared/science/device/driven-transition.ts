import type { TrueQubit } from './device.ts';

/**
 * Probability to leave the state after driving for `durationNs` at `detuning` from resonance: textbook Rabi with
 * W = √(Ω² + Δ²), decaying at 3/(4 T1) + 1/(2 Tφ). Frequencies in GHz.
 */
export function drivenTransition(
  qubit: TrueQubit,
  drive: { rabiFrequency: number; detuning: number; durationNs: number },
): number {
  const generalised = Math.hypot(drive.rabiFrequency, drive.detuning);
  if (generalised === 0) return 0;
  const dephasing = Math.max(0, 1 / qubit.t2Echo - 1 / (2 * qubit.t1));
  const rate = (3 / (4 * qubit.t1) + dephasing / 2) / 1000;
  const contrast = (drive.rabiFrequency / generalised) ** 2;
  const oscillation = Math.cos(2 * Math.PI * generalised * drive.durationNs);
  return (contrast * (1 - Math.exp(-rate * drive.durationNs) * oscillation)) / 2;
}

/** Population after a transition of the given probability, starting from thermal equilibrium. */
export function populationAfter(qubit: TrueQubit, transition: number): number {
  return qubit.thermalPopulation + (1 - 2 * qubit.thermalPopulation) * transition;
}
