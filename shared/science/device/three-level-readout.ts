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

/** Mean fraction of a readout before a state with this decay rate has decayed. */
function meanKept(decays: number): number {
  return decays > 0 ? (1 - Math.exp(-decays)) / decays : 1;
}

/**
 * Populations averaged over the readout, during which the second excited state decays to the first and the first to the
 * ground state.
 */
function whileRead(
  qubit: TrueQubit,
  settings: ReadoutSettings,
  { excited, second }: Populations,
): Populations {
  const flips = flipProbability(settings);
  const ground = 1 - excited - second;
  const decays = settings.lengthNs / 1000 / qubit.t1;
  const [first, twice] = [meanKept(decays), meanKept(SECOND_DECAY * decays)];
  // The first excited state is filled by the second and decays half as fast, so the mean filling is twice the
  // difference of both fractions.
  return {
    excited: first * (excited * (1 - flips) + ground * flips) + 2 * second * (first - twice),
    second: second * twice,
  };
}

/**
 * Averaged IQ signals of a qubit with the given populations of its first and second excited state, with amplifier noise
 * in both quadratures and projection noise. Without the second excited state they have the distribution of `readOut`.
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

/**
 * Draws the fractions of shots in each state: first those in the first excited state, then, of the others, those in the
 * second.
 */
function found({ excited, second }: Populations, shots: number, random: Random): Populations {
  const seen = excited + random.normal() * Math.sqrt(Math.max(0, excited * (1 - excited)) / shots);
  const rest = Math.max(1e-9, 1 - excited);
  const part = Math.min(1, second / rest);
  const spread = Math.sqrt((Math.max(0, part * (1 - part)) * rest) / shots);
  return { excited: seen, second: part * (1 - seen) + spread * random.normal() };
}
