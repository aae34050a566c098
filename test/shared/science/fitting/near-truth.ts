import fc from 'fast-check';
import { expect } from 'vitest';
import type { Fit } from '../../../../shared/science/fitting/least-squares.ts';

/** Within six standard errors: so far off is one in hundreds of millions. */
export function expectNear(fit: Fit, parameter: number, truth: number): void {
  if (!fit.ok) expect.fail(fit.message);
  const { parameters, errors } = fit;
  expect(Math.abs((parameters[parameter] ?? 0) - truth)).toBeLessThan(6 * (errors[parameter] ?? 0));
}

/** Any number of a range. */
export const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
