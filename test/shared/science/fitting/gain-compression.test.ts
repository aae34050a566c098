import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { fitExponential } from '../../../../shared/science/fitting/exponential.ts';
import {
  allowingForCompression,
  compressionOf,
} from '../../../../shared/science/fitting/gain-compression.ts';

const times = Array.from({ length: 51 }, (_, index) => 4 * index);
const T1 = 50;
const NOISE = 0.01;

/** A relaxation behind an amplifier that loses a part of its gain at its largest signal, and its analysis. */
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
  const y = seen.map(({ re, im }) => ((re - g.re) * d.re + (im - g.im) * d.im) / distance ** 2);
  const sigma = times.map(() => NOISE / distance);
  const found = fitExponential(times, y, { sigma, asymptote: { value: 0, error: NOISE } });
  if (!found.fit.ok) return expect.fail(found.fit.message);
  const compression = compressionOf({
    fit: found.fit,
    populations: times.map(found.evaluate),
    points: { re: seen.map(({ re }) => re), im: seen.map(({ im }) => im) },
    prepared: { re: [g.re, e.re], im: [g.im, e.im] },
    across: NOISE / distance,
  });
  const plain = { value: found.fit.parameters[1] ?? 0, error: found.fit.errors[1] ?? 0 };
  if (compression === null) return expect.fail('the compression is not known');
  return { plain, compression, allowed: allowingForCompression(plain, 1, compression) };
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

describe('A decay behind an amplifier that compresses', () => {
  test.each(places)('keeps its time within its error, with the ground state at %o', (ground) => {
    const all = seeds.map((seed) => measured(seed, { loss: 0.12, ground }));
    expect(rms(all.map(({ plain }) => off(plain)))).toBeGreaterThan(1.5);
    expect(rms(all.map(({ allowed }) => off(allowed)))).toBeLessThan(1.4);
  });

  test('shows by how much, where the states do not lie in line with the origin', () => {
    const { loss } = measured('by how much', { loss: 0.12, ground: { re: 0.6, im: 0.8 } }).compression;
    expect(Math.abs(loss.value - 0.12)).toBeLessThan(3 * loss.error);
    expect(loss.error).toBeLessThan(0.06);
  });

  test.each(places)(
    'costs less than a doubled error where the amplifier is linear, with the ground state at %o',
    (ground) => {
      const all = seeds.map((seed) => measured(seed, { loss: 0, ground }));
      const pulls = rms(all.map(({ allowed }) => off(allowed)));
      expect(pulls).toBeGreaterThan(0.7);
      expect(pulls).toBeLessThan(1.25);
      const wider = all.map(({ plain, allowed }) => allowed.error / plain.error).sort((a, b) => a - b);
      expect(wider[30]).toBeLessThan(1.8);
    },
  );
});
