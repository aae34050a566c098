import { SPUR_WIDTH_GHZ, SPURS_GHZ } from '../conventions/readout.ts';
import { type Complex, times } from '../quantum/complex.ts';
import type { TrueQubit } from './device.ts';
import type { Random } from './random.ts';
import type { AveragedSignals } from './readout.ts';

/** Photons in a resonator that is driven on resonance at 0 dB. */
const PHOTONS_AT_FULL_POWER = 10 ** 3.5;
/** Number of shots to which the noise of a line refers. */
export const REFERENCE_SHOTS = 1024;

/** Reflection off a resonator: 1 − 2 κ_ex / (κ + 2i (f − f_r)). */
export function reflect(
  { kappa, kappaExternal }: Pick<TrueQubit, 'kappa' | 'kappaExternal'>,
  detuning: number,
): Complex {
  const size = kappa ** 2 + (2 * detuning) ** 2;
  return {
    re: 1 - (2 * kappaExternal * kappa) / size,
    im: (4 * kappaExternal * detuning) / size,
  };
}

/** Factor of the line itself, whose phase is proportional to the frequency. */
export function lineFactor(qubit: TrueQubit, frequency: number): Complex {
  const phase = qubit.linePhase - 2 * Math.PI * frequency * qubit.lineDelayNs;
  return { re: Math.cos(phase), im: Math.sin(phase) };
}

/**
 * A resonator that is shifted by its qubit (the pull). The shift is largest without photons and decreases with their
 * number.
 */
interface PulledResonator {
  qubit: TrueQubit;
  pull: number;
  criticalPhotons: number;
  /** Square of half the line width. */
  half: number;
}

function pulledResonator(qubit: TrueQubit): PulledResonator {
  const detuning = qubit.resonatorBare - qubit.f01;
  return {
    qubit,
    pull: qubit.coupling ** 2 / detuning,
    criticalPhotons: detuning ** 2 / (4 * qubit.coupling ** 2),
    half: (qubit.kappa / 2) ** 2,
  };
}

/** Detuning of a tone from a resonator with `photons` photons. */
function detuningAt({ qubit, pull, criticalPhotons }: PulledResonator, frequency: number, photons: number) {
  return frequency - qubit.resonatorBare - pull / Math.sqrt(1 + photons / criticalPhotons);
}

/** Number of photons that the tone would sustain in the resonator, less the number that it contains. */
function excess(resonator: PulledResonator, frequency: number, atFullResonance: number, photons: number) {
  const { half } = resonator;
  return (atFullResonance * half) / (half + detuningAt(resonator, frequency, photons) ** 2) - photons;
}

/** Factor between steps of the photon number in the search for a solution, and the bisections that refine it. */
const FOLLOWING = 1.2;
const BISECTIONS = 20;

/**
 * Photons that a tone sustains in a resonator whose frequency depends on their number. If there are several solutions,
 * this is the one that the resonator reaches from `before`, so a sweep jumps where the current solution ends.
 */
function photonsAt(
  resonator: PulledResonator,
  frequency: number,
  atFullResonance: number,
  before: number,
): number {
  const fewest = (atFullResonance * resonator.half) / (resonator.half + 1) / 10;
  let here = Math.max(before, fewest);
  const up = excess(resonator, frequency, atFullResonance, here) > 0;
  let there = here;
  // The number of photons is at most that at resonance, so the sign changes there at the latest.
  do {
    here = there;
    there = up ? here * FOLLOWING : here / FOLLOWING;
  } while (
    excess(resonator, frequency, atFullResonance, there) > 0 === up &&
    there < 2 * atFullResonance &&
    there > fewest / 10
  );
  let [low, high] = up ? [here, there] : [there, here];
  for (let round = 0; round < BISECTIONS; round++) {
    const middle = (low + high) / 2;
    if (excess(resonator, frequency, atFullResonance, middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Complex reflection of a readout line over frequencies in rising order, at one power and without noise: the product of
 * the reflections of its resonators, each shifted by its own photons, with the line's delay and phase.
 */
export function sweepLine(
  qubits: readonly TrueQubit[],
  frequencies: readonly number[],
  powerDb: number,
): Complex[] {
  const atFullResonance = PHOTONS_AT_FULL_POWER * 10 ** (powerDb / 10);
  const resonators = qubits.map(pulledResonator);
  const photons = qubits.map(() => 0);
  const [first] = qubits;
  return frequencies.map((frequency) => {
    let signal = first === undefined ? { re: 1, im: 0 } : lineFactor(first, frequency);
    for (const [index, resonator] of resonators.entries()) {
      const now = photonsAt(resonator, frequency, atFullResonance, photons[index] ?? 0);
      photons[index] = now;
      signal = times(signal, reflect(resonator.qubit, detuningAt(resonator, frequency, now)));
    }
    return signal;
  });
}

/** Whether the generator disturbs a tone of this frequency. */
export function isSpur(frequency: number): boolean {
  return SPURS_GHZ.some((spur) => Math.abs(frequency - spur) < SPUR_WIDTH_GHZ);
}

/** Adds the amplifier's noise to signals that are relative to the tone, so a weaker tone has more noise. */
export function addLineNoise(
  signals: readonly Complex[],
  { lineNoise }: Pick<TrueQubit, 'lineNoise'>,
  tone: { amplitude: number; shots: number },
  random: Random,
): AveragedSignals {
  const deviation = (lineNoise / tone.amplitude) * Math.sqrt(REFERENCE_SHOTS / tone.shots);
  const noisy: AveragedSignals = { re: [], im: [] };
  for (const { re, im } of signals) {
    noisy.re.push(re + deviation * random.normal());
    noisy.im.push(im + deviation * random.normal());
  }
  return noisy;
}
