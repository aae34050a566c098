import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { seeReflection } from '../../../../shared/science/fitting/reflection-search.ts';
import { fitReflection } from '../../../../shared/science/fitting/resonator-fit.ts';
import { repetitions } from '../../../support/repetitions.ts';

const LINES = repetitions({ quick: 25, soak: 200 });

test('a resonator with any losses and any width on a line of any delay is found', () => {
  const missed: unknown[] = [];
  for (let index = 0; index < LINES; index++) {
    const random = randomFrom('reflections', index);
    const [span, points] = [0.01, 100];
    const kappa = span / (3 * (50 / 3) ** random.uniform());
    const ratio = 0.1 * 100 ** random.uniform();
    const external = (kappa * ratio) / (1 + ratio);
    const [at, delay] = [10 + random.between(-0.2, 0.2) * span, random.between(-400, 400)];
    const measured = Array.from({ length: points }, (_, place) => {
      const frequency = 10 + span * (place / (points - 1) - 0.5);
      const width = kappa ** 2 + (2 * (frequency - at)) ** 2;
      const [a, b] = [1 - (2 * external * kappa) / width, (4 * external * (frequency - at)) / width];
      const phase = 1 - 2 * Math.PI * (frequency - 10) * delay;
      const [cos, sin] = [Math.cos(phase), Math.sin(phase)];
      return {
        frequency,
        power: 0,
        sigma: 1,
        re: a * cos - b * sin + 0.01 * random.normal(),
        im: a * sin + b * cos + 0.01 * random.normal(),
      };
    });
    const seen = seeReflection(measured) ?? expect.fail('nothing is seen');
    const start = { frequency: seen.frequency, kappa: seen.external + seen.internal, delay: seen.delay };
    const { fit, frequency } = fitReflection(measured, { start, seen });
    const error = fit.ok ? (fit.errors[0] ?? Number.NaN) : Number.NaN;
    if (!(Math.abs(frequency - at) < 5 * error && error < kappa / 4))
      missed.push({ index, kappa, ratio, delay });
  }
  expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(LINES / 50);
});
