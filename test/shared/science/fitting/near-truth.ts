import fc from 'fast-check';
import { expect } from 'vitest';
import type { Fit } from '../../../../shared/science/fitting/least-squares.ts';

/** Whether a value is within six standard errors of the truth. One in hundreds of millions is not. */
export function expectNear(fit: Fit, parameter: number, truth: number): void {
  if (!fit.ok) expect.fail(fit.message);
  const { parameters, errors } = fit;
  expect(Math.abs((parameters[parameter] ?? 0) - truth)).toBeLessThan(6 * (errors[parameter] ?? 0));
}

/** Any number within a range. */
export const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
