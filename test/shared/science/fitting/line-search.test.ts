import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import {
  lineOfFirstTransition,
  linesText,
  seenLines,
} from '../../../../shared/science/fitting/line-search.ts';

interface Line {
  at: number;
  height: number;
  halfWidth: number;
}

/** Lines on a constant signal of 1, whose quadratures scatter by 1, with steps of 5 MHz. */
function sweep(lines: readonly Line[], seed: string) {
  const random = randomFrom(seed);
  const x = Array.from({ length: 400 }, (_, index) => 7 + 0.005 * index);
  const moved = x.map((frequency) =>
    lines.reduce(
      (sum, { at, height, halfWidth }) => sum + height / (1 + ((frequency - at) / halfWidth) ** 2),
      0,
    ),
  );
  return {
    x,
    re: moved.map((each) => 100 - 0.6 * each + random.normal()),
    im: moved.map((each) => 0.8 * each + random.normal()),
  };
}

function chosen(lines: readonly Line[], seed: string) {
  return lineOfFirstTransition(seenLines(sweep(lines, seed)).lines);
}

describe('the search for the line of the first transition', () => {
  test('leaves two equal lines undecided, even if one is stronger by chance', () => {
    for (let index = 0; index < 20; index++) {
      const found = chosen(
        [
          { at: 8.1, height: 25, halfWidth: 0.004 },
          { at: 8.13, height: 25, halfWidth: 0.004 },
        ],
        `equal-${index}`,
      );
      expect('undecided' in found && linesText(found.undecided)).toBe('8.100 GHz and 8.130 GHz');
    }
  });

  test('takes the upper of two lines at the distance of f02/2 and f01, even if the lower one is stronger', () => {
    for (let index = 0; index < 20; index++) {
      const found = chosen(
        [
          { at: 8.0, height: 60, halfWidth: 0.004 },
          { at: 8.16, height: 50, halfWidth: 0.015 },
        ],
        `two-photons-${index}`,
      );
      expect('line' in found && Math.abs(found.line.frequency - 8.16)).toBeLessThan(0.01);
      expect('others' in found && linesText(found.others)).toBe('8.000 GHz');
    }
  });

  test('takes a line that is much stronger than all others, and names these', () => {
    const found = chosen(
      [
        { at: 7.5, height: 12, halfWidth: 0.006 },
        { at: 8.2, height: 60, halfWidth: 0.006 },
      ],
      'stronger',
    );
    expect('line' in found && found.line.frequency).toBeCloseTo(8.2, 2);
    expect('others' in found && linesText(found.others)).toMatch(/^7\.(495|500|505) GHz$/);
  });

  test('finds a single line in a wide one, and none in noise', () => {
    for (let index = 0; index < 20; index++) {
      expect(seenLines(sweep([{ at: 8, height: 25, halfWidth: 0.03 }], `wide-${index}`)).lines).toHaveLength(
        1,
      );
      expect(seenLines(sweep([], `noise-${index}`)).lines).toEqual([]);
    }
  });
});
