import { expect, test } from 'vitest';
import { textAngle } from '../../../../shared/domain/metrics/report-drawing.ts';

test.each([
  ['to the right', [1, 0], 0],
  ['to the left', [-1, 0], 0],
  ['downwards', [0, 1], -90],
  ['upwards', [0, -1], -90],
  ['down to the right', [1, 1], 45],
  ['down to the left', [-1, 1], -45],
])('text along a line %s is never upside down', (_, [x = 0, y = 0], angle) => {
  expect(textAngle({ x: 0, y: 0 }, { x, y })).toBeCloseTo(angle, 9);
});
