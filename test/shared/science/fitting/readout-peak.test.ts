import fc from 'fast-check';
import { describe, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { fitReadoutPeak } from '../../../../shared/science/fitting/readout-peak.ts';
import { repetitions } from '../../../support/repetitions.ts';
import { between, expectNear } from './near-truth.ts';

describe('the fit of a readout peak', () => {
  test('finds the middle of one peak or of two', () => {
    fc.assert(
      fc.property(
        between(-0.003, 0.003),
        between(0.002, 0.004),
        between(0.0005, 0.005),
        fc.integer(),
        (middle, half, shift, seed) => {
          const random = randomFrom('peak', seed);
          const x = Array.from({ length: 126 }, (_, index) => 10 - 0.025 + 0.0004 * index);
          const contrasts = x.map((frequency) => {
            const offset = frequency - 10 - middle;
            const size =
              (half * shift) / (Math.hypot(half, offset - shift) * Math.hypot(half, offset + shift));
            return Math.hypot(size + 0.002 * random.normal(), 0.002 * random.normal());
          });
          expectNear(fitReadoutPeak(x, contrasts, { amplifier: 0.002, projection: 0 }).fit, 0, 10 + middle);
        },
      ),
      { seed: 3, numRuns: repetitions({ quick: 30, soak: 100 }) },
    );
  });
});
