import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import type { CurveModel } from '../../../../shared/science/fitting/least-squares.ts';
import {
  fitWithMemory,
  withoutCurveBias,
  withoutMemory,
} from '../../../../shared/science/fitting/point-memory.ts';

const bell: CurveModel = {
  evaluate: ([height = 0, centre = 0], x) => height * Math.exp(-((x - centre) ** 2) / 8),
  gradient([height = 0, centre = 0], x) {
    const shape = Math.exp(-((x - centre) ** 2) / 8);
    return [shape, (height * shape * (x - centre)) / 4];
  },
};

/** Points of a bell of height 1 at 20, each of which retains a fraction of the previous one. */
function remembered(part: number, noise: number, seed: string) {
  const random = randomFrom(seed);
  const x = Array.from({ length: 41 }, (_, index) => index);
  let kept = 0;
  const y = x.map((at) => {
    kept = (1 - part) * (bell.evaluate([1, 20], at) + noise * random.normal()) + part * kept;
    return kept;
  });
  const later = { x: x.slice(1), y: y.slice(1), before: y.slice(0, -1) };
  return fitWithMemory({ ...later, model: bell, start: [0.9, 20.5], scale: [1, 1] });
}

test('a curve is found at its position although each point retains a fraction of the previous one', () => {
  const fit = remembered(0.1, 0, 'none');
  expect(fit.ok && fit.parameters[0]).toBeCloseTo(1, 6);
  expect(fit.ok && fit.parameters[1]).toBeCloseTo(20, 6);
  expect(fit.ok && fit.parameters[2]).toBeCloseTo(0.1, 6);
});

test('points without their memory are the original ones', () => {
  const measured = [1, 5, 2, 8];
  let kept = 1;
  const y = measured.map((value) => {
    kept = 0.8 * value + 0.2 * kept;
    return kept;
  });
  withoutMemory(y, 0.2).forEach((value, index) => {
    expect(value).toBeCloseTo(measured[index] ?? Number.NaN, 9);
  });
});

test('a memory that is visible only in the noise is not too small because the curve follows the noise', () => {
  const line: CurveModel = {
    evaluate: ([offset = 0, slope = 0, bend = 0], x) => offset + slope * x + bend * x ** 2,
    gradient: (_, x) => [1, x, x ** 2],
  };
  const found = Array.from({ length: 400 }, (_, index) => {
    const random = randomFrom('bending', index);
    let kept = 0;
    const x = Array.from({ length: 31 }, (_value, place) => place / 30);
    const y = x.map(() => {
      kept = 0.8 * random.normal() + 0.2 * kept;
      return kept;
    });
    const later = { x: x.slice(1), y: y.slice(1), before: y.slice(0, -1) };
    const fit = withoutCurveBias(
      fitWithMemory({ ...later, model: line, start: [0, 0, 0], scale: [1, 1, 1] }),
    );
    return fit.ok ? (fit.parameters[3] ?? 0) : Number.NaN;
  });
  const mean = found.reduce((sum, part) => sum + part, 0) / found.length;
  expect(mean).toBeGreaterThan(0.16);
  expect(mean).toBeLessThan(0.24);
});

test('the errors include the uncertainty of an unknown memory', () => {
  const pulls = Array.from({ length: 600 }, (_, index) => {
    const fit = remembered(0.1, 0.02, `noisy-${index}`);
    return fit.ok ? ((fit.parameters[1] ?? 0) - 20) / (fit.errors[1] ?? 1) : Number.NaN;
  });
  const rms = Math.sqrt(pulls.reduce((sum, pull) => sum + pull ** 2, 0) / pulls.length);
  expect(rms).toBeGreaterThan(0.75);
  expect(rms).toBeLessThan(1.25);
});
