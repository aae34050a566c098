import { expect, test } from 'vitest';
import { fitCurve } from '../../../../shared/science/fitting/least-squares.ts';
import { beyondPreparedStates } from '../../../../shared/science/fitting/prepared-range.ts';

/** The message about eight points of one polarisation, each with a deviation of 0.01. */
function saidOf(polarisation: number): string | null {
  const x = [0, 1, 2, 3, 4, 5, 6, 7];
  const fit = fitCurve({
    x,
    y: x.map((place) => polarisation + (place % 2 === 0 ? 0.01 : -0.01)),
    model: { evaluate: ([level = 0]) => level, gradient: () => [1] },
    start: [0],
    scale: [1],
    sigma: x.map(() => 0.01),
  });
  const fitted = x.map(() => polarisation);
  return beyondPreparedStates(fit, fitted, { repetitions: { ground: 4, excited: 4 } });
}

// The error of the level is 0.01/√8, that of a state's position 0.01/√4: together 0.006.
test.each([0, 0.99, 1.015, -1.015])('a polarisation of %d is that of a prepared state, within noise', (z) => {
  expect(saidOf(z)).toBeNull();
});

test.each([
  [1.04, 'ground'],
  [-1.04, 'excited'],
])('a polarisation of %d is beyond the prepared states', (z, state) => {
  expect(saidOf(z)).toMatch(
    `the signal is beyond the prepared ${state} state: its polarisation would be ${z.toFixed(3)}`,
  );
});
