import { expect, test } from 'vitest';
import { expectationOf, expectedSeconds } from '../../../../shared/domain/executions/forecast-rules.ts';

test('a run is expected to take as long as the middle one of the earlier runs', () => {
  const runs = [600, 580, 9000, 620, 610].map((seconds) => ({ seconds, tasks: 100 }));
  expect(expectationOf(runs)).toEqual({ seconds: 610, tasks: 100 });
  expect(expectationOf(runs.slice(0, 2))).toEqual({ seconds: 590, tasks: 100 });
  expect(expectationOf([])).toBeNull();
});

test('the pace of the run counts more and more as it progresses', () => {
  const expected = { seconds: 600, tasks: 100 };
  expect(expectedSeconds(expected, { seconds: 0, tasks: 0 })).toBe(600);
  // Twice as slow as before.
  expect(expectedSeconds(expected, { seconds: 120, tasks: 10 })).toBeCloseTo(0.9 * 600 + 0.1 * 1200);
  expect(expectedSeconds(expected, { seconds: 600, tasks: 50 })).toBeCloseTo(900);
  expect(expectedSeconds(expected, { seconds: 1140, tasks: 95 })).toBeCloseTo(0.05 * 600 + 0.95 * 1200);
});

test('a run that measures longer or more than expected ends no earlier than now', () => {
  expect(expectedSeconds({ seconds: 600, tasks: 100 }, { seconds: 700, tasks: 0 })).toBe(700);
  expect(expectedSeconds({ seconds: 600, tasks: 100 }, { seconds: 700, tasks: 150 })).toBe(700);
  expect(expectedSeconds({ seconds: 60, tasks: 0 }, { seconds: 20, tasks: 3 })).toBe(60);
});
