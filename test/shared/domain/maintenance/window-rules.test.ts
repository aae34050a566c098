import { describe, expect, test } from 'vitest';
import { type WindowSettings, windowOf } from '../../../../shared/domain/maintenance/window-rules.ts';
import { windowsFile } from '../../../../shared/domain/maintenance/windows-file.ts';
import { taskCatalog } from '../../../../shared/tasks/catalog.ts';
import type { EarlierValue } from '../../../../shared/tasks/drift.ts';

const settings: WindowSettings = {
  default: { hours: 100 },
  shortestHours: 2,
  longestHours: 1000,
  largestFactor: 8,
  deviations: 1,
  significance: 3,
  tasks: { Coarse: { hours: 40 } },
  parameters: { frequency: { tolerance: 2 }, phase: { hours: 24, tolerance: 2 } },
};
const wander = { atOnce: 0, perDay: 1, of: 'unit' } as const;
const frequency = { task: 'Fine', parameter: 'frequency', output: { wander } };

/** Half of normally distributed values lie within this many standard deviations. */
const MEDIAN = 0.6745;
const steps = (size: number) => [0, size, 0, size, 0, size];

/** Daily measurements, newest first. */
function daily(values: readonly number[], error = 0.01): EarlierValue[] {
  return values.map((value, day) => ({ value, error, hours: 24 * day }));
}

describe('the window of a value without a history', () => {
  test('is that of its parameter, of its task, or the default, in this order', () => {
    const hours = (task: string, parameter: string) =>
      windowOf({ task, parameter, output: {} }, [], settings).hours;
    expect(hours('Coarse', 'phase')).toBe(24);
    expect(hours('Coarse', 'other')).toBe(40);
    expect(hours('Fine', 'other')).toBe(100);
  });

  test('ends when the expected drift reaches the tolerance', () => {
    expect(windowOf(frequency, [], settings).hours).toBe(4 * 24);
  });

  test('is never shorter or longer than the configuration says', () => {
    const hours = (tolerance: number) =>
      windowOf(frequency, [], { ...settings, parameters: { frequency: { tolerance } } }).hours;
    expect(hours(1e-6)).toBe(2);
    expect(hours(1e6)).toBe(1000);
  });
});

describe('the history of a value', () => {
  const hours = (history: readonly EarlierValue[], of = frequency) => windowOf(of, history, settings).hours;

  test('makes the window shorter if it drifts more than expected, and longer if it drifts less', () => {
    expect(hours(daily([0, 1.5, 0, 1.5, 0, 1.5]))).toBeCloseTo((4 * 24) / (1.5 / 0.6745) ** 2, 0);
    expect(hours(daily([0, 0.4, 0, 0.4, 0, 0.4]))).toBeCloseTo((4 * 24) / (0.4 / 0.6745) ** 2, 0);
  });

  test('changes nothing if it drifts as expected', () => {
    expect(hours(daily([0, 0.6745, 0, 0.6745, 0, 0.6745], 0))).toBeCloseTo(4 * 24);
  });

  test('changes the window by a limited factor', () => {
    expect(hours(daily([0, 1e3, 0, 1e3, 0, 1e3]))).toBe((4 * 24) / 8);
    expect(hours(daily([0, 0, 0, 0, 0, 0]))).toBe(8 * 4 * 24);
  });

  test('is not impressed by one outlier', () => {
    const steady = [0, 0.4, 0, 0.4, 0, 0.4];
    expect(hours(daily([...steady, 500, 0.4, 0]))).toBeCloseTo(hours(daily(steady)));
  });

  test('is shorter the more deviations of the drift must stay within the tolerance', () => {
    const cautious = { ...settings, deviations: 2 };
    expect(windowOf(frequency, [], settings).hours).toBe(4 * 24);
    expect(windowOf(frequency, [], cautious).hours).toBe(24);
    // One unit a day, as expected, changes nothing; half of it allows four times as long.
    const usual = MEDIAN * 1;
    expect(windowOf(frequency, daily(steps(usual)), cautious).hours).toBeCloseTo(24, 1);
    expect(windowOf(frequency, daily(steps(usual / 2)), cautious).hours).toBeCloseTo(96, 0);
  });

  test('says nothing with less than four differences, or if errors hide a drift', () => {
    expect(hours(daily([0, 5, 0, 5]))).toBe(4 * 24);
    expect(hours(daily([0, 0, 0, 0, 0, 0], 10))).toBe(4 * 24);
  });

  test('counts for a parameter with a tolerance whose drift the catalog does not know', () => {
    const phase = { task: 'Fine', parameter: 'phase', output: {} };
    expect(windowOf(phase, daily([0, 20, 0, 20, 0, 20]), settings)).toEqual({ hours: 3, usualHours: 24 });
  });
});

describe('the shipped configuration', () => {
  test('names tasks and parameters of the catalog', async () => {
    const shipped = await windowsFile.read('/nowhere');
    const parameters = new Set(taskCatalog.flatMap(({ outputs }) => Object.keys(outputs)));
    const names = new Set(taskCatalog.map(({ name }) => name));
    expect(Object.keys(shipped.tasks).filter((name) => !names.has(name))).toEqual([]);
    expect(Object.keys(shipped.parameters).filter((name) => !parameters.has(name))).toEqual([]);
  });

  test('gives every output of the catalog a window of at least three hours', async () => {
    const shipped = await windowsFile.read('/nowhere');
    for (const { name, outputs } of taskCatalog) {
      for (const [parameter, output] of Object.entries(outputs)) {
        expect(windowOf({ task: name, parameter, output }, [], shipped).hours, parameter).toBeGreaterThan(3);
      }
    }
  });

  test('is refused with what is wrong in it', () => {
    expect(windowsFile.check('default: { hours: 0 }')).toContainEqual(
      expect.stringContaining('config/maintenance.yaml is wrong at default.hours'),
    );
    expect(windowsFile.check('a: [')).toHaveLength(1);
  });
});
