import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { fitChevron } from '../../../../shared/science/fitting/chevron.ts';
import { fitMaximum } from '../../../../shared/science/fitting/extremum.ts';
import { fitFringes } from '../../../../shared/science/fitting/fringes.ts';
import type { Fit } from '../../../../shared/science/fitting/least-squares.ts';
import { fitReadoutPeak } from '../../../../shared/science/fitting/readout-peak.ts';
import { repetitions } from '../../../support/repetitions.ts';

function found(fit: Fit): Extract<Fit, { ok: true }> {
  return fit.ok ? fit : expect.fail(fit.message);
}

/** Within six standard errors: so far off is one in hundreds of millions. */
function expectNear(fit: Fit, parameter: number, truth: number): void {
  const { parameters, errors } = found(fit);
  expect(Math.abs((parameters[parameter] ?? 0) - truth)).toBeLessThan(6 * (errors[parameter] ?? 0));
}

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe('the fit of a maximum', () => {
  test('finds the amplitude of a full turn, whatever the contrast and the noise', () => {
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

describe('the fit of a readout peak', () => {
  test('finds the middle, be there one peak or two', () => {
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
