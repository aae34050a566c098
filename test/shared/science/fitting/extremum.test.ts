import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { fitMaximum } from '../../../../shared/science/fitting/extremum.ts';
import { repetitions } from '../../../support/repetitions.ts';
import { between, expectNear } from './near-truth.ts';

describe('the fit of a maximum', () => {
  test('finds the amplitude of a full turn for any contrast and noise', () => {
    fc.assert(
      fc.property(
        between(0.75, 1.25),
        between(0.01, 2),
        between(0.002, 0.1),
        fc.integer(),
        (at, size, noise, seed) => {
          const random = randomFrom('maximum', seed);
          const x = Array.from({ length: 20 }, (_, index) => 0.5 + index / 19);
          const y = x.map(
            (value) => size * (Math.cos((2 * Math.PI * value) / at) + noise * random.normal()) + 3,
          );
          expectNear(fitMaximum(x, y, 1).fit, 2, at);
        },
      ),
      { seed: 3, numRuns: repetitions({ quick: 50, soak: 150 }) },
    );
  });

  test('is refused for a constant and for few points', () => {
    const x = Array.from({ length: 20 }, (_, index) => index);
    expect(
      fitMaximum(
        x,
        x.map(() => 1),
        10,
      ).fit.ok,
    ).toBe(false);
    expect(fitMaximum([1, 2, 3], [1, 2, 1], 2).fit.ok).toBe(false);
  });
});
