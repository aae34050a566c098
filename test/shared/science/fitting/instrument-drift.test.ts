import { expect, test } from 'vitest';
import { type Random, randomFrom } from '../../../../shared/science/device/random.ts';
import { fitExponential } from '../../../../shared/science/fitting/exponential.ts';
import { changeOfInstrument } from '../../../../shared/science/fitting/instrument-drift.ts';

const TIMES = Array.from({ length: 51 }, (_, index) => 0.3 * 10 ** (index / 20));
const SIGMA = 0.02;

/**
 * The message about a decay from 1 to 0.5 whose points are changed by the instrument, with noise of `SIGMA` or less.
 */
function saidOf(
  random: Random,
  instrument: (value: number, index: number) => number,
  noise = SIGMA,
): string | null {
  const decay = TIMES.map((time) => 0.5 + 0.5 * Math.exp(-time / 20));
  const seen = decay.map((value, index) => instrument(value, index) + noise * random.normal());
  const { fit, evaluate } = fitExponential(TIMES, seen, {
    sigma: TIMES.map(() => SIGMA),
    asymptote: { value: 0.5, error: SIGMA },
  });
  return changeOfInstrument(fit, TIMES.map(evaluate));
}

test('a stable instrument is almost never reported to have changed', () => {
  const random = randomFrom('at rest');
  const alarms = Array.from({ length: 400 }, () => saidOf(random, (value) => value)).filter(
    (said) => said !== null,
  );
  // The limit is one in 50,000; more than one of 400 has a probability of 3e-5.
  expect(alarms.length).toBeLessThanOrEqual(1);
});

test.each([
  [
    'an offset that drifts by nine deviations',
    (value: number, index: number) => value + (0.18 * index) / 50,
    /drifts/,
  ],
  [
    'an offset that jumps by five',
    (value: number, index: number) => value + (index > 30 ? 0.1 : 0),
    /changes at point 3\d of 51/,
  ],
  [
    'a gain that falls by a tenth',
    (value: number, index: number) => (index > 20 ? 0.9 * value : value),
    /changes at point 2\d of 51/,
  ],
])('%s is detected, however well a decay can follow it', (_, instrument, said) => {
  const random = randomFrom('changed');
  for (let trial = 0; trial < 5; trial++) expect(saidOf(random, instrument)).toMatch(said);
});

test('residuals far below the expected noise are not a change of the instrument', () => {
  const random = randomFrom('quiet');
  const faster = TIMES.map((time) => 0.02 * Math.exp(-time / 5));
  for (let trial = 0; trial < 5; trial++) {
    const quiet = (value: number, index: number) => value + (faster[index] ?? 0);
    expect(saidOf(random, quiet, SIGMA / 20)).toBeNull();
  }
});
