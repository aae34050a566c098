import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { fitCosine } from '../../../../shared/science/fitting/cosine.ts';
import { estimateText } from '../../../../shared/science/fitting/estimate.ts';
import { fitExponential } from '../../../../shared/science/fitting/exponential.ts';
import { rotateToPrincipalAxis } from '../../../../shared/science/fitting/iq-rotation.ts';
import {
  type CurveModel,
  type Fit,
  fitCurve,
  type SuccessfulFit,
} from '../../../../shared/science/fitting/least-squares.ts';

/** A found fit; anything else fails the test. */
function found(fit: Fit): SuccessfulFit {
  return fit.ok ? fit : expect.fail(fit.message);
}

const line: CurveModel = {
  evaluate: ([intercept = 0, slope = 0], x) => intercept + slope * x,
  gradient: (_, x) => [1, x],
};

describe('least squares', () => {
  test('gives the textbook covariance of a straight line', () => {
    const x = [0, 1, 2, 3, 4];
    const y = [1.1, 2.9, 5.2, 7.1, 8.8];
    const fit = found(fitCurve({ x, y, model: line, start: [0, 0], scale: [1, 1] }));
    // numpy.polyfit(x, y, 1, cov=True)
    expect(fit.parameters[0]).toBeCloseTo(1.1, 6);
    expect(fit.parameters[1]).toBeCloseTo(1.96, 6);
    const s2 = fit.residualSumOfSquares / 3;
    expect(fit.covariance[1]?.[1]).toBeCloseTo(s2 / 10, 9);
    expect(fit.covariance[0]?.[0]).toBeCloseTo(s2 * (1 / 5 + 4 / 10), 9);
    expect(fit.covariance[0]?.[1]).toBeCloseTo((-2 * s2) / 10, 9);
    expect(fit.errors[1]).toBeCloseTo(Math.sqrt(s2 / 10), 9);
  });

  test('weighs points by their deviations', () => {
    const x = [0, 0, 0, 1];
    const y = [1, 2, 9, 5];
    const constant: CurveModel = { evaluate: ([value = 0]) => value, gradient: () => [1] };
    const fit = found(fitCurve({ x, y, sigma: [1, 1, 10, 2], model: constant, start: [0], scale: [1] }));
    const weights = [1, 1, 0.01, 0.25];
    const mean = (1 + 2 + 0.09 + 1.25) / weights.reduce((sum, weight) => sum + weight, 0);
    expect(fit.parameters[0]).toBeCloseTo(mean, 6);
  });

  test('reports too few points, parameters that cannot be distinguished, and a fit that does not converge', () => {
    const few = fitCurve({ x: [0, 1], y: [0, 1], model: line, start: [0, 0], scale: [1, 1] });
    expect(few).toMatchObject({ ok: false, failure: 'too-little-data' });
    const twice: CurveModel = { evaluate: ([a = 0, b = 0], x) => (a + b) * x, gradient: (_, x) => [x, x] };
    const x = [1, 2, 3, 4];
    const singular = fitCurve({ x, y: [1, 2, 3, 5], model: twice, start: [0, 0], scale: [1, 1] });
    expect(singular).toMatchObject({ ok: false, failure: 'singular-covariance' });
    const falling: CurveModel = {
      evaluate: ([a = 0], t) => Math.exp(-a * t),
      gradient: ([a = 0], t) => [-t * Math.exp(-a * t)],
    };
    const endless = fitCurve({ x, y: [-1, -1, -1, -1], model: falling, start: [1], scale: [1] });
    expect(endless).toMatchObject({ ok: false, message: expect.any(String) });
  });
});

describe('the fit of a cosine', () => {
  test('finds any oscillation that the sweep resolves', () => {
    fc.assert(
      fc.property(
        fc.record({
          amplitude: fc.double({ min: 0.01, max: 10, noNaN: true }),
          periods: fc.double({ min: 0.8, max: 20, noNaN: true }),
          phase: fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
          offset: fc.double({ min: -5, max: 5, noNaN: true }),
          noise: fc.double({ min: 0.001, max: 0.3, noNaN: true }),
          seed: fc.integer(),
        }),
        ({ amplitude, periods, phase, offset, noise, seed }) => {
          const random = randomFrom('cosine', seed);
          const t = Array.from({ length: 51 }, (_, index) => index * 8);
          const frequency = periods / 400;
          const y = t.map(
            (time) =>
              amplitude * Math.cos(2 * Math.PI * frequency * time + phase) +
              offset +
              noise * amplitude * random.normal(),
          );
          const fit = found(fitCosine(t, y).fit);
          const [a = 0, f = 0, found_phase = 0, c = 0] = fit.parameters;
          const [da = 0, df = 0, dphase = 0, dc = 0] = fit.errors;
          expect(Math.abs(f - frequency)).toBeLessThan(6 * df);
          expect(Math.abs(a - amplitude)).toBeLessThan(6 * da);
          expect(Math.abs(c - offset)).toBeLessThan(6 * dc);
          const turned = found_phase - phase;
          expect(Math.abs(Math.atan2(Math.sin(turned), Math.cos(turned)))).toBeLessThan(6 * dphase);
        },
      ),
      { seed: 5, numRuns: 200 },
    );
  });

  test('is damped only if the data show a decay', () => {
    const random = randomFrom('damping');
    const t = Array.from({ length: 101 }, (_, index) => index * 10);
    const curve = (decay: number) =>
      t.map((time) => Math.exp(-time / decay) * Math.cos(2 * Math.PI * 0.01 * time) + 0.02 * random.normal());
    expect(fitCosine(t, curve(Number.POSITIVE_INFINITY)).damped).toBe(false);
    const damped = fitCosine(t, curve(400));
    expect(damped.damped).toBe(true);
    expect(1 / (found(damped.fit).parameters[4] ?? 0)).toBeCloseTo(400, -2);
  });

  test('is exact for data without noise', () => {
    const t = Array.from({ length: 51 }, (_, index) => index * 8);
    const fit = found(
      fitCosine(
        t,
        t.map((time) => 3 * Math.cos(2 * Math.PI * 0.0125 * time + 1) + 2),
      ).fit,
    );
    expect(fit.parameters[1]).toBeCloseTo(0.0125, 9);
    expect(fit.r2).toBeCloseTo(1, 9);
  });

  test.each([
    ['no points', []],
    ['five points', [1, 2, 3, 4, 5]],
    ['a constant', Array.from({ length: 51 }, () => 7)],
  ])('is refused for %s', (_, y) => {
    const { fit } = fitCosine(
      y.map((_value, index) => index),
      y,
    );
    expect(fit.ok).toBe(false);
  });
});

describe('the fit of a decay', () => {
  test('finds any decay that the sweep resolves', () => {
    fc.assert(
      fc.property(
        fc.record({
          amplitude: fc.double({ min: 0.05, max: 2, noNaN: true }),
          sign: fc.constantFrom(-1, 1),
          time: fc.double({ min: 3, max: 150, noNaN: true }),
          noise: fc.double({ min: 0.001, max: 0.05, noNaN: true }),
          seed: fc.integer(),
        }),
        ({ amplitude, sign, time, noise, seed }) => {
          const random = randomFrom('decay', seed);
          const t = Array.from({ length: 51 }, (_, index) => 0.1 * 5000 ** (index / 50));
          const y = t.map(
            (value) => amplitude * (sign * Math.exp(-value / time) + noise * random.normal()) + 0.3,
          );
          const fit = found(fitExponential(t, y).fit);
          expect(Math.abs((fit.parameters[1] ?? 0) - time)).toBeLessThan(6 * (fit.errors[1] ?? 0));
          expect(Math.sign(fit.parameters[0] ?? 0)).toBe(sign);
        },
      ),
      { seed: 5, numRuns: 200 },
    );
  });

  test.each([[[]], [[1, 1, 1, 1, 1, 1]], [[1, 2]]])('is refused for %j', (y) => {
    expect(
      fitExponential(
        y.map((_, index) => index + 1),
        y,
      ).fit.ok,
    ).toBe(false);
  });
});

describe('the principal axis of IQ points', () => {
  test('is found for any direction, and points to the start of the sweep', () => {
    fc.assert(
      fc.property(fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }), fc.integer(), (angle, seed) => {
        const random = randomFrom('axis', seed);
        const along = Array.from({ length: 51 }, (_, index) => Math.cos(index / 3));
        const across = along.map(() => 0.01 * random.normal());
        const re = along.map((a, i) => a * Math.cos(angle) - (across[i] ?? 0) * Math.sin(angle) + 0.3);
        const im = along.map((a, i) => a * Math.sin(angle) + (across[i] ?? 0) * Math.cos(angle) - 0.2);
        const rotated = rotateToPrincipalAxis({ re, im });
        const difference = rotated.angle - angle;
        expect(Math.abs(Math.atan2(Math.sin(difference), Math.cos(difference)))).toBeLessThan(0.01);
        expect(rotated.along[0] ?? 0).toBeGreaterThan(rotated.along[10] ?? 0);
      }),
    );
  });
});

describe('the text of an estimate', () => {
  test.each([
    [{ value: 12.5312, error: 0.0171 }, 'MHz', '12.531 ± 0.017 MHz'],
    [{ value: 54.8, error: 0.75 }, 'us', '54.80 ± 0.75 us'],
    [{ value: 1234, error: 56 }, 'ns', '1234 ± 56 ns'],
    [{ value: 0.5, error: 0 }, '', '0.5'],
    [{ value: 1.23456789, error: Number.NaN }, 'GHz', '1.23457 GHz'],
    [{ value: Number.NaN, error: 1 }, 'us', 'no value us'],
  ])('of %j in %s is %s', (estimate, unit, text) => {
    expect(estimateText(estimate, unit)).toBe(text);
  });
});
