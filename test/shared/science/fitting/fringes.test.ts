import fc from 'fast-check';
import { describe, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { fitFringes } from '../../../../shared/science/fitting/fringes.ts';
import { repetitions } from '../../../support/repetitions.ts';
import { between, expectNear } from './near-truth.ts';

describe('the fit of fringes', () => {
  test('finds frequency with its sign, phase and decay of any precession', () => {
    fc.assert(
      fc.property(
        fc.record({
          frequency: between(-4e-3, 4e-3),
          time: between(3000, 60_000),
          phase: between(-Math.PI, Math.PI),
          noise: between(0.005, 0.1),
          seed: fc.integer(),
        }),
        ({ frequency, time, phase, noise, seed }) => {
          const random = randomFrom('fringes', seed);
          const t = Array.from({ length: 101 }, (_, index) => 100 * index);
          const along = (turn: (angle: number) => number) =>
            t.map(
              (value) =>
                Math.exp(-value / time) * turn(2 * Math.PI * frequency * value + phase) +
                0.1 +
                noise * random.normal(),
            );
          const { fit } = fitFringes(t, along(Math.cos), along(Math.sin));
          expectNear(fit, 1, frequency);
          expectNear(fit, 5, 1 / time);
        },
      ),
      { seed: 3, numRuns: repetitions({ quick: 50, soak: 150 }) },
    );
  });
});
