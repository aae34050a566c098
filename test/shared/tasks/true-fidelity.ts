import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { normalCumulative } from '../../../shared/science/device/normal-distribution.ts';
import {
  flipProbability,
  type ReadoutSettings,
  separation,
  shotNoise,
} from '../../../shared/science/device/readout.ts';

const DECAYS = 60;

/**
 * Average fraction of single shots that a threshold midway between both mean signals assigns correctly, by quadrature.
 */
export function trueFidelity(qubit: TrueQubit, settings: ReadoutSettings, excited: number): number {
  const distance = separation(qubit, settings);
  const flips = flipProbability(settings);
  const noise = shotNoise(qubit, settings);
  const ratio = settings.lengthNs / (1000 * qubit.t1);
  const positions = Array.from({ length: DECAYS }, (_, index) =>
    Math.min(1, -Math.log(1 - (index + 0.5) / DECAYS) / ratio),
  );
  const undecayed = Math.exp(-ratio);
  const kept = (1 - undecayed) / ratio;
  const found = [qubit.thermalPopulation, excited].map((p) => p * (1 - flips) + (1 - p) * flips);
  const [q0 = 0, q1 = 0] = found;
  const threshold = (distance * kept * (q0 + q1)) / 2;
  const early = positions.filter((position) => position < 1);
  const ofExcited =
    undecayed * normalCumulative((distance - threshold) / noise) +
    (early.length === 0
      ? (1 - undecayed) * normalCumulative((distance / 2 - threshold) / noise)
      : ((1 - undecayed) / early.length) *
        early.reduce(
          (sum, position) => sum + normalCumulative((distance * position - threshold) / noise),
          0,
        ));
  const ofGround = normalCumulative(-threshold / noise);
  const above = (q: number) => q * ofExcited + (1 - q) * ofGround;
  return (above(q1) + 1 - above(q0)) / 2;
}
