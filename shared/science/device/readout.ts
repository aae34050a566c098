import type { TrueQubit } from './device.ts';
import type { Random } from './random.ts';

/** Readout settings of a measurement, as loaded by the task. They may be wrong. */
export interface ReadoutSettings {
  frequency: number;
  amplitude: number;
  lengthNs: number;
  shots: number;
}

/** Averaged signals, one for each requested population. */
export interface AveragedSignals {
  re: number[];
  im: number[];
}

/** Amplitudes at which the distance of the states saturates, and above which readout itself flips the state. */
const SATURATION_AMPLITUDE = 0.15;
const FLIPPING_AMPLITUDE = 0.35;

/**
 * Distance from the middle of both resonances at which the contrast is largest: 0 if they are closer than their width.
 */
export function bestReadoutOffset(
  qubit: Pick<TrueQubit, 'kappa' | 'resonatorGround' | 'resonatorExcited'>,
): number {
  const halfShift = Math.abs(qubit.resonatorExcited - qubit.resonatorGround) / 2;
  return Math.sqrt(Math.max(0, halfShift ** 2 - (qubit.kappa / 2) ** 2));
}

/**
 * Contrast of the two resonances for a tone, at most 1: |S11(excited) − S11(ground)| of two lines of width κ, which is
 * proportional to 1 / (|κ/2 + i(f − f0)| |κ/2 + i(f − f1)|), divided by its maximum.
 */
function discrimination(qubit: TrueQubit, frequency: number): number {
  const halfWidth = qubit.kappa / 2;
  const middle = (qubit.resonatorGround + qubit.resonatorExcited) / 2;
  const halfShift = Math.abs(qubit.resonatorExcited - qubit.resonatorGround) / 2;
  const product = (offset: number) =>
    Math.hypot(halfWidth, offset - halfShift) * Math.hypot(halfWidth, offset + halfShift);
  return product(bestReadoutOffset(qubit)) / product(frequency - middle);
}

/** Distance of the two states in the IQ plane. It grows with the amplitude until it saturates. */
export function separation(qubit: TrueQubit, { frequency, amplitude }: ReadoutSettings): number {
  const relative = amplitude / qubit.readoutAmplitude;
  const saturation = 1 + (amplitude / SATURATION_AMPLITUDE) ** 2;
  const reference = 1 + (qubit.readoutAmplitude / SATURATION_AMPLITUDE) ** 2;
  return qubit.distance * ((relative * reference) / saturation) * discrimination(qubit, frequency);
}

/** Probability that strong readout flips the state before the measurement. */
export function flipProbability({ amplitude }: ReadoutSettings): number {
  return (1 - Math.exp(-((amplitude / FLIPPING_AMPLITUDE) ** 4))) / 2;
}

/** Standard deviation of one shot per quadrature. It falls with the integration time. */
export function shotNoise(qubit: TrueQubit, { lengthNs }: ReadoutSettings): number {
  return qubit.noise * Math.sqrt(qubit.readoutLengthNs / lengthNs);
}

/**
 * The measurement layer of every task: averaged IQ signals of a qubit with the given excited populations. Along the
 * axis of the two states there is amplifier and projection noise, √((σ² + d² p (1 − p)) / shots); across it only
 * amplifier noise. Qubits that decay during readout look partly like the ground state, and strong readout flips states.
 */
export function readOut(
  qubit: TrueQubit,
  settings: ReadoutSettings,
  populations: readonly number[],
  random: Random,
): AveragedSignals {
  const distance = separation(qubit, settings);
  const lengthUs = settings.lengthNs / 1000;
  const kept = (qubit.t1 / lengthUs) * (1 - Math.exp(-lengthUs / qubit.t1));
  const flips = flipProbability(settings);
  const noise = shotNoise(qubit, settings);
  const [cos, sin] = [Math.cos(qubit.direction), Math.sin(qubit.direction)];
  const signals: AveragedSignals = { re: [], im: [] };
  for (const population of populations) {
    const excited = kept * (population * (1 - flips) + (1 - population) * flips);
    const projection = distance ** 2 * excited * (1 - excited);
    const along =
      distance * excited + random.normal() * Math.sqrt((noise ** 2 + projection) / settings.shots);
    const across = random.normal() * (noise / Math.sqrt(settings.shots));
    signals.re.push(qubit.groundRe + along * cos - across * sin);
    signals.im.push(qubit.groundIm + along * sin + across * cos);
  }
  return signals;
}
