import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { findJumps } from '../../../../shared/science/fitting/jumps.ts';
import { repetitions } from '../../../support/repetitions.ts';

const COUNT = 40;

/** Noise of deviation one about the given levels, with the stated errors `claimed`. */
function series(seed: string, levelAt: (index: number) => number, claimed = 1) {
  const random = randomFrom('jumps', seed);
  const values = Array.from({ length: COUNT }, (_, index) => levelAt(index) + random.normal());
  return { values, errors: values.map(() => claimed) };
}

describe('jumps in a series', () => {
  test.each([1, 0.4])(
    'are found in no more quiet series than stated, with errors that are %s of the noise',
    (claimed) => {
      const tries = repetitions({ quick: 1500, soak: 10_000 });
      let alarms = 0;
      for (let index = 0; index < tries; index++) {
        if (
          findJumps(
            series(`quiet-${index}`, () => 0, claimed),
            0.02,
          ).jumps.length > 0
        )
          alarms += 1;
      }
      expect(alarms / tries).toBeLessThan(0.02);
      expect(alarms).toBeGreaterThan(0);
    },
  );

  test('are found at their index, with their size and its error', () => {
    const sizes: number[] = [];
    for (let index = 0; index < 100; index++) {
      const { jumps, course } = findJumps(
        series(`step-${index}`, (at) => (at < 15 ? 0 : 9)),
        0.01,
      );
      expect(jumps.length).toBeGreaterThan(0);
      const [first] = jumps;
      if (jumps.length > 1 || first === undefined) continue;
      expect(Math.abs(first.index - 15)).toBeLessThanOrEqual(1);
      expect(course).toHaveLength(COUNT);
      sizes.push((first.size.value - 9) / first.size.error);
    }
    expect(sizes.length).toBeGreaterThan(90);
    const square = sizes.reduce((sum, value) => sum + value ** 2, 0) / sizes.length;
    expect(Math.sqrt(square)).toBeGreaterThan(0.7);
    expect(Math.sqrt(square)).toBeLessThan(1.4);
  });

  test('back and forth are two; a steady drift and a single outlier are none', () => {
    const pulse = findJumps(
      series('pulse', (at) => (at >= 12 && at < 25 ? 9 : 0)),
      0.01,
    );
    expect(pulse.jumps.map(({ size }) => Math.sign(size.value))).toEqual([1, -1]);
    expect(
      findJumps(
        series('wild', (at) => (at === 20 ? 40 : 0)),
        0.01,
      ).jumps,
    ).toEqual([]);
    expect(
      findJumps(
        series('drift', (at) => 12 * Math.sin(at / 12)),
        0.01,
      ).jumps,
    ).toEqual([]);
  });
});
