import type { TrueQubit } from '../../../science/device/device.ts';
import { normalCumulative } from '../../../science/device/normal-distribution.ts';
import type { Random } from '../../../science/device/random.ts';
import {
  flipProbability,
  type ReadoutSettings,
  separation,
  shotNoise,
} from '../../../science/device/readout.ts';
import type { Experiment, PairExperiment } from './model.ts';
import { readoutSettings } from './parameters.ts';

/** Outcomes of a pair in the order 00, 01, 10, 11, the control first. */
export const PAIR_STATES = [0, 1, 2, 3] as const;

/** Number of time slices of the readout; a decay happens in the middle of one. */
const DECAYS = 40;

/** Probabilities that a shot is classified as excited, for a qubit in its ground and in its excited state. */
function excitedOutcome(qubit: TrueQubit, settings: ReadoutSettings): readonly [number, number] {
  const distance = separation(qubit, settings);
  const noise = shotNoise(qubit, settings);
  const flips = flipProbability(settings);
  // The instrument's threshold is midway between both states; a shot that decayed is between them.
  const above = (position: number) => normalCumulative(((position - 0.5) * distance) / noise);
  const decayed = settings.lengthNs / (1000 * qubit.t1);
  const slices = Array.from({ length: DECAYS }, (_, slice) => (slice + 0.5) / DECAYS);
  const ofDecayed = slices.reduce(
    (sum, position) => sum + (decayed / DECAYS) * Math.exp(-decayed * position) * above(position),
    0,
  );
  const [ground, excited] = [above(0), Math.exp(-decayed) * above(1) + ofDecayed];
  return [(1 - flips) * ground + flips * excited, (1 - flips) * excited + flips * ground];
}

/** Reads both qubits of a pair shot by shot. */
export interface JointReadout {
  shots: number;
  /** Number of shots with each outcome, given the probabilities of the four states. */
  count(probabilities: readonly number[], random: Random): number[];
}

export function jointReadout({ control, target }: PairExperiment): JointReadout {
  const ofQubit = (experiment: Experiment) => {
    const settings = readoutSettings(experiment);
    return { excited: excitedOutcome(experiment.qubit, settings), shots: settings.shots };
  };
  const [first, second] = [ofQubit(control), ofQubit(target)];
  const shots = Math.round(first.shots);
  return {
    shots,
    count(probabilities, random) {
      const outcomes = PAIR_STATES.map((outcome) =>
        probabilities.reduce((sum, probability, state) => {
          const one = first.excited[state >> 1 === 0 ? 0 : 1];
          const other = second.excited[(state & 1) === 0 ? 0 : 1];
          const seen = (outcome >> 1 === 1 ? one : 1 - one) * ((outcome & 1) === 1 ? other : 1 - other);
          return sum + probability * seen;
        }, 0),
      );
      return multinomial(outcomes, shots, random);
    },
  };
}

function multinomial(probabilities: readonly number[], shots: number, random: Random): number[] {
  const counts = probabilities.map(() => 0);
  for (let shot = 0; shot < shots; shot++) {
    let rest = random.uniform();
    let outcome = 0;
    for (; outcome < probabilities.length - 1; outcome++) {
      rest -= probabilities[outcome] ?? 0;
      if (rest < 0) break;
    }
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
