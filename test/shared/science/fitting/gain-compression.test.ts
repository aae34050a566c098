import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { exponentialDecay, fitExponential } from '../../../../shared/science/fitting/exponential.ts';
import {
  fitLosses,
  lossProbabilities,
  overLosses,
  undoLoss,
} from '../../../../shared/science/fitting/gain-compression.ts';

const times = Array.from({ length: 51 }, (_, index) => 4 * index);
const T1 = 50;
const NOISE = 0.01;

/** A relaxation after an amplifier that loses a fraction of its gain at its largest signal, and its analysis. */
function measured(seed: string, { loss, ground }: { loss: number; ground: { re: number; im: number } }) {
  const random = randomFrom(seed);
  const largest = Math.max(Math.hypot(ground.re, ground.im), Math.hypot(ground.re + 1, ground.im));
  const amplified = (p: number) => {
    const [re, im] = [ground.re + p, ground.im];
    const gain = 1 - loss * (Math.hypot(re, im) / largest) ** 2;
    return { re: gain * re, im: gain * im };
  };
  const noisy = ({ re, im }: { re: number; im: number }) => ({
    re: re + NOISE * random.normal(),
    im: im + NOISE * random.normal(),
  });
  const [g, e] = [amplified(0), amplified(1)];
  const d = { re: e.re - g.re, im: e.im - g.im };
  const distance = Math.hypot(d.re, d.im);
  const seen = times.map((t) => noisy(amplified(Math.exp(-t / T1))));
  const prepared = { re: [g.re, e.re], im: [g.im, e.im] };
  const toPopulation = (one: { re: number; im: number }, other: { re: number; im: number }) =>
    (one.re * other.re + one.im * other.im) / distance ** 2;
  const from = seen.map(({ re, im }) => ({ re: re - g.re, im: im - g.im }));
  const y = from.map((point) => toPopulation(point, d));
  const aside = from.map((point) => toPopulation(point, { re: -d.im, im: d.re }));
  const sigma = times.map(() => NOISE / distance);
  const known = { value: 0, error: NOISE };
  const { fit } = fitExponential(times, y, { sigma, asymptote: known });
  if (!fit.ok) return expect.fail(fit.message);
  const lossy = fitLosses({
    model: exponentialDecay,
    parameters: fit.parameters,
    errors: fit.errors,
    x: times,
    y,
    aside,
    sigma,
    ends: [{ x: Number.POSITIVE_INFINITY, known }],
    prepared,
    areMeasured: true,
    across: NOISE / distance,
    undone: 0,
  });
  if (lossy === null) return expect.fail('the losses are not known');
  const losses = lossProbabilities([lossy]);
  const timeOf = ({ parameters, errors }: Pick<typeof fit, 'parameters' | 'errors'>) => ({
    value: parameters[1] ?? 0,
    error: errors[1] ?? 0,
  });
  return { plain: timeOf(fit), lossy, losses, allowed: timeOf(overLosses(fit, lossy, losses)) };
}

const off = ({ value, error }: { value: number; error: number }) => Math.abs(value - T1) / error;
const rms = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
const seeds = Array.from({ length: 60 }, (_, index) => `compression-${index}`);
const places = [
  { re: 0.6, im: 0.8 },
  { re: -0.2, im: -1.5 },
  { re: 1, im: 0.05 },
];

describe('A decay after a compressing amplifier', () => {
  test.each(places)('keeps its time within its error, with the ground state at %o', (ground) => {
    const all = seeds.map((seed, index) => measured(seed, { loss: 0.04 + 0.0025 * index, ground }));
    expect(rms(all.map(({ plain }) => off(plain)))).toBeGreaterThan(1.5);
    expect(rms(all.map(({ allowed }) => off(allowed)))).toBeLessThan(1.25);
  });

  test('shows the compression if the states are not in line with the origin', () => {
    const { loss, certainty } = measured('by how much', { loss: 0.12, ground: { re: 0.6, im: 0.8 } }).losses;
    expect(Math.abs(loss.value - 0.12)).toBeLessThan(3 * loss.error);
    expect(loss.error).toBeLessThan(0.06);
    expect(certainty).toBeGreaterThan(3);
  });

  test('is more precise with more measurements by the same amplifier', () => {
    const ground = { re: -0.2, im: -1.5 };
    const { loss } = measured('one', { loss: 0.12, ground }).losses;
    const all = seeds.slice(0, 9).map((seed) => measured(seed, { loss: 0.12, ground }).lossy);
    const together = lossProbabilities(all).loss;
    expect(together.error).toBeLessThan(loss.error / 2);
    expect(Math.abs(together.value - 0.12)).toBeLessThan(3 * together.error);
  });

  test.each(places)(
    'has less than twice the error if the amplifier is linear, with the ground state at %o',
    (ground) => {
      const all = seeds.map((seed) => measured(seed, { loss: 0, ground }));
      const pulls = rms(all.map(({ allowed }) => off(allowed)));
      expect(pulls).toBeGreaterThan(0.7);
      expect(pulls).toBeLessThan(1.25);
      const wider = all.map(({ plain, allowed }) => allowed.error / plain.error).sort((a, b) => a - b);
      expect(wider[30]).toBeLessThan(1.8);
    },
  );

  test('is corrected exactly if the loss is known', () => {
    const before = { re: [1, 2, 0.5], im: [0.5, -1, 1.5] };
    const largest = Math.max(...before.re.map((re, index) => re ** 2 + (before.im[index] ?? 0) ** 2));
    const gains = before.re.map(
      (re, index) => 1 - (0.2 * (re ** 2 + (before.im[index] ?? 0) ** 2)) / largest,
    );
    const after = {
      re: before.re.map((re, index) => re * (gains[index] ?? 1)),
      im: before.im.map((im, index) => im * (gains[index] ?? 1)),
    };
    const undone = undoLoss(after, after, 0.2);
    for (const part of ['re', 'im'] as const) {
      for (const [index, value] of undone[part].entries())
        expect(value).toBeCloseTo(before[part][index] ?? 0, 9);
    }
  });
});
