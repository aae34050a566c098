import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { separateOutliers } from '../../../../shared/science/fitting/outliers.ts';
import {
  fitWithoutOutliers,
  judgeResiduals,
  sweepFault,
} from '../../../../shared/science/fitting/residuals.ts';

const COUNT = 51;
const noise = { parameters: 3, estimatedShare: 0.5 };

function normals(seed: number, count = COUNT): number[] {
  const random = randomFrom('residuals', seed);
  return Array.from({ length: count }, () => random.normal());
}

/** An oscillation in the IQ plane with noise on both axes. */
function oscillation(seed: number, count = COUNT) {
  const x = Array.from({ length: count }, (_, index) => index);
  const [along, across] = [normals(seed, count), normals(seed + 1000, count)];
  return {
    x,
    re: x.map((time) => Math.cos(time / 2) + 0.01 * (along[time] ?? 0)),
    im: x.map((time) => 0.01 * (across[time] ?? 0)),
  };
}

describe('the judgement of residuals', () => {
  test('finds no problem in noise, and rarely changes its errors', () => {
    const judged = Array.from({ length: 300 }, (_, seed) => judgeResiduals(normals(seed), noise));
    expect(judged.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(judged.filter(({ widening }) => widening > 1).length).toBeLessThan(20);
  });

  test('reports chi-square and points of a model that does not describe the data', () => {
    const { problem } = judgeResiduals(
      normals(1).map((value, index) => value + (index > 25 ? 3 : -3)),
      noise,
    );
    expect(problem).toMatch(
      /^the model does not describe the data: chi-square \d+(\.\d+)? with 51 points, and neighbouring points deviate alike$/,
    );
  });

  test('widens the errors if neighbouring residuals are correlated', () => {
    const slow = normals(2).map((_, index, all) => ((all[index] ?? 0) + (all[index - 1] ?? 0)) / Math.SQRT2);
    expect(judgeResiduals(slow, noise).widening).toBeGreaterThan(1.2);
  });
});

describe('a sweep that cannot be trusted', () => {
  test('is one in which the instrument repeats its last value', () => {
    const { x, re, im } = oscillation(1);
    const stuck = (values: number[]) =>
      values.map((value, index) => (index > 25 ? (values[25] ?? 0) : value));
    expect(sweepFault({ x, re: stuck(re), im: stuck(im) }, im)).toBe(
      'the instrument repeats the same signal from point 26 of 51 on',
    );
  });

  test('is one whose signal moves in a direction in which the qubit does not move it', () => {
    for (let seed = 0; seed < 100; seed++) {
      const { x, re, im } = oscillation(seed);
      expect(sweepFault({ x, re, im }, im)).toBeNull();
      const drifting = im.map((value, index) => value + 0.002 * index);
      expect(sweepFault({ x, re, im: drifting }, drifting)).toMatch(
        /^the signal moves across the axis .*changed during the sweep, or the qubit left its two states$/,
      );
    }
  });
});

describe('outliers', () => {
  test('are separated before they rotate an axis, and a healthy sweep has none', () => {
    for (let seed = 0; seed < 100; seed++) {
      const sweep = oscillation(seed);
      expect(separateOutliers(sweep).outliers.x).toEqual([]);
      const re = sweep.re.map((value, index) => (index === 7 ? value + 4 : value));
      expect(separateOutliers({ ...sweep, re }).outliers.x).toEqual([7]);
    }
  });

  test('do not count in a fit while they are few', () => {
    const y = normals(3).map((value, index) => (index === 30 ? 12 : value));
    const fitTo = (indices: readonly number[]) => ({
      found: indices.length,
      residuals: indices.map((index) => y[index] ?? 0),
    });
    const { found, kept } = fitWithoutOutliers(COUNT, fitTo);
    expect(found).toBe(COUNT - 1);
    expect(kept).not.toContain(30);
    const spoilt = normals(4).map((value, index) => (index % 10 === 0 ? 12 : value));
    const all = fitWithoutOutliers(COUNT, (indices) => ({
      found: null,
      residuals: indices.map((index) => spoilt[index] ?? 0),
    }));
    expect(all.kept.length).toBeGreaterThan(COUNT - 4);
  });

  test('reports a point that is repeated, but not for an instrument with visible steps', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { x, re, im } = oscillation(seed);
      const slipped = (values: readonly number[]) =>
        values.map((value, index) => (index > 20 ? (values[index - 1] ?? value) : value));
      expect(sweepFault({ x, re: slipped(re), im: slipped(im) }, slipped(im))).toMatch(
        /^the instrument gives point 21 of 51 twice in a row/,
      );
      const steps = (values: readonly number[]) =>
        slipped(values).map((value) => Math.round(100 * value) / 100);
      expect(sweepFault({ x, re: steps(re), im: steps(im) }, steps(im))).toBeNull();
    }
  });

  test('ignores the rounding errors beside the axis of a signal with a single quadrature', () => {
    const { x, re } = oscillation(1);
    // Half a turn is not known to the last digit.
    const rounding = re.map((value) => value * Math.sin(Math.PI));
    expect(sweepFault({ x, re, im: x.map(() => 0) }, rounding)).toBeNull();
  });
});
