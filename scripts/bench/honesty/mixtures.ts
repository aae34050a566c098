import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { averageOf, NORMAL_PARTS } from '../../../shared/science/device/mixtures.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import type { MeasureOnce, Trial } from './model.ts';

/** The varied qubit of a mixture; for a pair, its target. */
type Mixed = Pick<Trial, 'qubit' | 'random'>;

/** Half of the shots with the qubit at either of two frequencies with the distance `apart` (GHz). */
export function beating(apart: (random: Random) => number) {
  return (once: MeasureOnce, { qubit, random }: Mixed): Dataset => {
    const half = apart(random) / 2;
    const parts = [-half, half].map((offset) =>
      once({ qubit: { ...qubit, f01: qubit.f01 + offset }, shotsPart: 0.5 }),
    );
    return averageOf(parts);
  };
}

/** Half of the shots with a T1 that is shorter by the factor. */
export function twoValuedT1(factor: number) {
  return (once: MeasureOnce, { qubit }: Mixed): Dataset =>
    averageOf([1, factor].map((each) => once({ qubit: { ...qubit, t1: qubit.t1 * each }, shotsPart: 0.5 })));
}

/** Slow frequency noise with this standard deviation (GHz), which makes the envelope of fringes Gaussian. */
export function slowDephasing(deviation: (trial: Mixed) => number) {
  return (once: MeasureOnce, trial: Mixed): Dataset => {
    const size = deviation(trial);
    const { qubit } = trial;
    return averageOf(
      NORMAL_PARTS.map((quantile) =>
        once({ qubit: { ...qubit, f01: qubit.f01 + size * quantile }, shotsPart: 1 / NORMAL_PARTS.length }),
      ),
    );
  };
}
