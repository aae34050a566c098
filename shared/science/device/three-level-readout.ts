import type { TrueQubit } from './device.ts';
import type { Random } from './random.ts';
import {
  type AveragedSignals,
  flipProbability,
  type ReadoutSettings,
  separation,
  shotNoise,
} from './readout.ts';
import { type Populations, SECOND_DECAY, SECOND_PLACE } from './third-level.ts';

/** Mean part of a readout during which a state that decays at this rate is still there. */
function meanKept(decays: number): number {
  return decays > 0 ? (1 - Math.exp(-decays)) / decays : 1;
}

/** Populations averaged over the readout, in which they decay step by step. */
function whileRead(
  qubit: TrueQubit,
  settings: ReadoutSettings,
  { excited, second }: Populations,
): Populations {
  const flips = flipProbability(settings);
  const ground = 1 - excited - second;
  const decays = settings.lengthNs / 1000 / qubit.t1;
  const [first, twice] = [meanKept(decays), meanKept(SECOND_DECAY * decays)];
  // A state that decays into one that itself decays half as fast fills it by twice the difference of both.
  return {
    excited: first * (excited * (1 - flips) + ground * flips) + 2 * second * (first - twice),
    second: second * twice,
  };
}

/**
 * Averaged IQ signals of a qubit that is found in its first and second excited state with the given probabilities. Without
 * the second one they are those of `readOut`: amplifier noise in both quadratures, and the chance of finding each state.
 */
export function readOutLevels(
  qubit: TrueQubit,
  settings: ReadoutSettings,
  populations: readonly Populations[],
  random: Random,
): AveragedSignals {
  const distance = separation(qubit, settings);
  const noise = shotNoise(qubit, settings) / Math.sqrt(settings.shots);
  const [cos, sin] = [Math.cos(qubit.direction), Math.sin(qubit.direction)];
  const signals: AveragedSignals = { re: [], im: [] };
  for (const each of populations) {
    const { excited, second } = found(whileRead(qubit, settings, each), settings.shots, random);
    const along = distance * (excited + SECOND_PLACE.along * second) + noise * random.normal();
    const across = distance * SECOND_PLACE.beside * second + noise * random.normal();
    signals.re.push(qubit.groundRe + along * cos - across * sin);
    signals.im.push(qubit.groundIm + along * sin + across * cos);
  }
  return signals;
}

/** Fractions of the shots in each state: draws those in the first excited state, then those of the rest in the second. */
function found({ excited, second }: Populations, shots: number, random: Random): Populations {
  const seen = excited + random.normal() * Math.sqrt(Math.max(0, excited * (1 - excited)) / shots);
  const rest = Math.max(1e-9, 1 - excited);
  const part = Math.min(1, second / rest);
  const spread = Math.sqrt((Math.max(0, part * (1 - part)) * rest) / shots);
  return { excited: seen, second: part * (1 - seen) + spread * random.normal() };
}
