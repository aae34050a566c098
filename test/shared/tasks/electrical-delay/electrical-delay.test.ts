import { trueQubit } from '../../../../shared/science/device/device.ts';
import { sweepLine } from '../../../../shared/science/device/reflection.ts';
import { at } from '../../../support/measured.ts';
import { describeContinuousWave } from '../continuous-wave.ts';

/** The group delay of the line in the middle of the default sweep: with the tails of its resonators. */
function delayOf(seed: string, qid: string): number {
  const first = Math.floor(Number(qid) / 4) * 4;
  const mates = [0, 1, 2, 3].map((place) => trueQubit(seed, String(first + place), at));
  const [a, b] = sweepLine(mates, [9.3024, 9.3025], 0);
  if (a === undefined || b === undefined) return Number.NaN;
  return -Math.atan2(b.im * a.re - b.re * a.im, b.re * a.re + b.im * a.im) / (2 * Math.PI * 1e-4);
}

describeContinuousWave('CheckElectricalDelay', {
  truths: { electrical_delay: (_, seed, qid) => delayOf(seed, qid) },
});
