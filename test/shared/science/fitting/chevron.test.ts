import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { fitChevron } from '../../../../shared/science/fitting/chevron.ts';
import { repetitions } from '../../../support/repetitions.ts';
import { between, expectNear } from './near-truth.ts';

describe('the fit of a chevron', () => {
  test('finds resonance and Rabi frequency of any chevron within its map', () => {
    fc.assert(
      fc.property(
        fc.record({
          resonance: between(-0.006, 0.006),
          rabi: between(0.006, 0.03),
          noise: between(0.005, 0.08),
          sign: fc.constantFrom(-1, 1),
          seed: fc.integer(),
        }),
        ({ resonance, rabi, noise, sign, seed }) => {
          const random = randomFrom('chevron', seed);
          const points = Array.from({ length: 11 * 26 }, (_, index) => {
            const [frequency, time] = [8 + 0.002 * ((index % 11) - 5), 8 * Math.floor(index / 11)];
            const generalised = Math.hypot(rabi, frequency - 8 - resonance);
            const flipped = ((rabi / generalised) * Math.sin(Math.PI * generalised * (time + 12))) ** 2;
            return { frequency, time, signal: sign * flipped + noise * random.normal() };
          });
          const { fit } = fitChevron(points, 12);
          expectNear(fit, 0, 8 + resonance);
          expectNear(fit, 1, rabi);
        },
      ),
      { seed: 3, numRuns: repetitions({ quick: 20, soak: 60 }) },
    );
  });

  test('is refused for few columns', () => {
    const points = [8, 8.1].flatMap((frequency) =>
      [0, 8, 16, 24, 32].map((time) => ({ frequency, time, signal: time })),
    );
    expect(fitChevron(points, 12).fit).toMatchObject({ ok: false, failure: 'too-little-data' });
  });
});
