import { describe, expect, test } from 'vitest';
import { type Random, randomFrom } from '../../../../shared/science/device/random.ts';
import { repetitionOf } from '../../../../shared/science/fitting/repeated-values.ts';

/** Number of shots that are found excited. */
function counted(random: Random, shots: number, population: number): number {
  let excited = 0;
  for (let shot = 0; shot < shots; shot++) if (random.uniform() < population) excited += 1;
  return excited;
}

/** A decay that ends long before the sweep, as counts of shots on an axis that is rotated by an angle. */
function decay(random: Random, { shots, points, angle }: { shots: number; points: number; angle: number }) {
  const shares = Array.from(
    { length: points },
    (_, index) => counted(random, shots, Math.exp((-8 * index) / points)) / shots,
  );
  return {
    re: shares.map((share) => share * Math.cos(angle)),
    im: shares.map((share) => share * Math.sin(angle)),
  };
}

/** A noisy decay from a digitiser with the given number of steps, in both quadratures. */
function digitised(
  random: Random,
  { steps, points, noise }: { steps: number; points: number; noise: number },
) {
  const part = (size: number) =>
    Array.from({ length: points }, (_, index) => {
      const value = size * Math.exp((-5 * index) / points) + noise * random.normal();
      return Math.round(value * steps) / steps;
    });
  return { re: part(0.8), im: part(0.4) };
}

describe('values that repeat', () => {
  test.each([
    [8, 200],
    [16, 200],
    [64, 51],
    [256, 51],
    [1024, 101],
    [10_000, 51],
  ])('are not a fault of an instrument that counts %i shots at %i points', (shots, points) => {
    for (let run = 0; run < 100; run++) {
      const random = randomFrom('counts', shots, points, run);
      const angle = run % 5 === 0 ? 0 : random.between(0, 6);
      expect(repetitionOf(decay(random, { shots, points, angle })), `run ${run}`).toBeNull();
    }
  });

  test.each([
    [16, 0.02],
    [64, 0.01],
    [256, 0.01],
    [4096, 0.01],
  ])('are not a fault of a digitiser with %i steps and noise of %d', (steps, noise) => {
    for (let run = 0; run < 100; run++) {
      const random = randomFrom('digitiser', steps, run);
      expect(repetitionOf(digitised(random, { steps, points: 101, noise })), `run ${run}`).toBeNull();
    }
  });

  test.each([256, 1024, 10_000])('are found if an instrument that counts %i shots is stuck', (shots) => {
    const found = Array.from({ length: 50 }, (_, run) => {
      const { re, im } = decay(randomFrom('still', shots, run), { shots, points: 51, angle: 1 });
      const still = (values: number[]) =>
        values.map((value, index) => (index < 8 ? value : (values[8] ?? 0)));
      return repetitionOf({ re: still(re), im: still(im) });
    });
    expect(found.filter((row) => row?.length === 43).length).toBeGreaterThanOrEqual(45);
  });

  test('are found if a continuous signal repeats one', () => {
    const random = randomFrom('continuous');
    const re = Array.from({ length: 51 }, () => random.normal());
    const im = Array.from({ length: 51 }, () => random.normal());
    expect(repetitionOf({ re, im })).toBeNull();
    re[20] = re[19] ?? 0;
    im[20] = im[19] ?? 0;
    expect(repetitionOf({ re, im })).toEqual({ first: 19, length: 2 });
  });
});
