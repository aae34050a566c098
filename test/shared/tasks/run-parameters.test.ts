import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTask } from '../../../shared/tasks/catalog.ts';
import {
  flowDefaults,
  MAXIMUM_SWEEP_POINTS,
  POWERS_OF_TEN,
  readNumber,
  readValue,
  resolveRunParameters,
  sweepPoints,
} from '../../../shared/tasks/run-parameters.ts';

const rabi = findTask('CheckRabi') ?? expect.fail('the catalog has no CheckRabi');

function points(value_type: string, value: unknown): number[] {
  const reading = sweepPoints({ value, value_type });
  return reading.ok ? reading.value : expect.fail(reading.problem);
}

function problem(value_type: string, value: unknown): string {
  const reading = readValue(value, value_type);
  return reading.ok ? expect.fail(`${JSON.stringify(value)} was accepted`) : reading.problem;
}

describe('a sweep', () => {
  test('has the meaning of its triple in NumPy and Python', () => {
    expect(points('range', [0, 401, 8])).toHaveLength(51);
    expect(points('range', [0, 401, 8]).at(-1)).toBe(400);
    expect(points('range', [10, 0, -5])).toEqual([10, 5]);
    // Numbers of points as in NumPy, where rounding may include the stop value.
    expect(points('np.arange', [9.75, 10.75, 0.002])).toHaveLength(500);
    expect(points('np.arange', [9.75, 9.756, 0.002])).toHaveLength(4);
    expect(points('np.arange', [0, 10_001, 100])).toHaveLength(101);
    expect(points('np.linspace', [0, 0.2, 51])).toHaveLength(51);
    expect(points('np.linspace', [0, 0.2, 51]).at(-1)).toBe(0.2);
    expect(points('np.linspace', [3, 7, 1])).toEqual([3]);
    const decades = points('np.logspace', [2, Math.log10(5e5), 51]);
    expect(decades[0]).toBe(100);
    expect(decades.at(-1)).toBeCloseTo(5e5, 5);
  });

  test('accepts text for its triple and for its numbers', () => {
    expect(points('range', '[0, 401, 8]')).toHaveLength(51);
    expect(points('range', '(0, 24, 8)')).toEqual([0, 8, 16]);
    expect(points('range', [0, '2 * 12', '8'])).toEqual([0, 8, 16]);
    expect(points('list', [1, '2 * 2'])).toEqual([1, 4]);
  });

  test('is refused, and never expanded, if it is a mistake', () => {
    expect(problem('range', [0, 401, 0])).toBe('its step must not be 0');
    expect(problem('range', [0, -5, 8])).toBe('it has no points');
    expect(problem('range', [0, 400.5, 8])).toBe('a range needs whole numbers');
    expect(problem('range', [0, 401])).toBe('[0,401] is not a list of three numbers');
    expect(problem('np.linspace', [0, 1, 2.5])).toBe('its number of points must be a whole number');
    expect(problem('np.linspace', [0, 1, 1e9])).toContain(`more than the ${MAXIMUM_SWEEP_POINTS} allowed`);
    expect(problem('np.arange', [0, 1e300, 1e-300])).toMatch(/points/);
    expect(problem('np.logspace', [0, 400, 3])).toBe(`its points are not finite; ${POWERS_OF_TEN}`);
    expect(problem('np.polyspace', [0, 1, 2])).toMatch(/^its value_type "np.polyspace" is none of/);
  });

  test('has the stated number of finite points, for any numbers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('np.linspace', 'np.logspace', 'np.arange', 'range'),
        fc.tuple(fc.double(), fc.double(), fc.oneof(fc.double(), fc.integer({ min: -5, max: 5000 }))),
        (value_type, value) => {
          const reading = sweepPoints({ value, value_type });
          if (!reading.ok) return;
          expect(reading.value.length).toBeGreaterThan(0);
          expect(reading.value.length).toBeLessThanOrEqual(MAXIMUM_SWEEP_POINTS);
          expect(reading.value.every(Number.isFinite)).toBe(true);
        },
      ),
    );
  });
});

describe('a value', () => {
  test('may be a product, and nothing else is evaluated', () => {
    expect(readNumber('150 * 1024')).toEqual({ ok: true, value: 153_600 });
    expect(readNumber(' -2.5e-3 ')).toEqual({ ok: true, value: -0.0025 });
    for (const text of ['', '1 + 1', 'process.exit()', '2 ** 3', '1e999', '0x10', 'Infinity', 'NaN', '*']) {
      expect(readNumber(text).ok).toBe(false);
    }
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, null, undefined, [], {}, true]) {
      expect(readNumber(value).ok).toBe(false);
    }
  });

  test('must be of its type', () => {
    expect(readValue('3', 'int')).toEqual({ ok: true, value: 3 });
    expect(problem('int', 2.5)).toBe('2.5 is not a whole number');
    expect(problem('float', 'abc')).toBe('"abc" is not a number');
    expect(problem('str', 4)).toBe('4 is not text');
    expect(problem('bool', 1)).toBe('1 is neither true nor false');
    expect(readValue('False', 'bool')).toEqual({ ok: true, value: false });
    expect(readValue([1, 'a'], 'list')).toEqual({ ok: true, value: [1, 'a'] });
    expect(problem('list', [null])).toBe('its entry null is neither a number nor text');
    expect(problem('float', 'x'.repeat(500)).length).toBeLessThan(100);
  });

  test('never throws while it is read', () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.constantFrom('int', 'float', 'range', 'list', 'bool', 'str'),
        (value, type) => {
          expect(typeof readValue(value, type).ok).toBe('boolean');
        },
      ),
    );
  });
});

describe('the run parameters of a task', () => {
  test('are its defaults overridden by the layers, of which the last one wins', () => {
    const { parameters, problems } = resolveRunParameters(rabi, [
      { shots: { value: 100 }, interval: '100 * 1024' },
      { shots: 200 },
    ]);
    expect(problems).toEqual([]);
    expect(parameters.shots).toEqual({ value: 200, value_type: 'int', unit: '' });
    expect(parameters.interval).toEqual({ value: 102_400, value_type: 'int', unit: 'ns' });
    expect(parameters.time_range).toEqual({ value: [0, 401, 8], value_type: 'range', unit: 'ns' });
  });

  test('take a new value_type and unit with a value', () => {
    const { parameters } = resolveRunParameters(rabi, [
      { time_range: { value: [0, 400, 51], value_type: 'np.linspace', unit: 'ns' } },
    ]);
    expect(parameters.time_range).toEqual({ value: [0, 400, 51], value_type: 'np.linspace', unit: 'ns' });
  });

  test('include names that the task does not declare, as floats', () => {
    const { parameters } = resolveRunParameters(rabi, [{ my_setting: '0.5' }]);
    expect(parameters.my_setting).toEqual({ value: 0.5, value_type: 'float', unit: '' });
  });

  test('report all their problems at once', () => {
    const overrides: unknown = JSON.parse(
      '{"__proto__": 1, "shots": "many", "time_range": [0, 1], "interval": 1.5}',
    );
    const { problems } = resolveRunParameters(rabi, [
      Object.assign(Object.create(null), overrides),
      { 'a b': 1 },
    ]);
    expect(problems).toEqual(
      expect.arrayContaining([
        'The run parameter shots of CheckRabi cannot be used: "many" is not a number.',
        'The run parameter time_range of CheckRabi cannot be used: [0,1] is not a list of three numbers.',
        'The run parameter interval of CheckRabi cannot be used: 1.5 is not a whole number.',
        '"a b" cannot be the name of a run parameter of CheckRabi.',
      ]),
    );
  });

  test('in another unit are converted, for a sweep without its number of points', () => {
    const swept = (override: unknown) => {
      const { parameters, problems } = resolveRunParameters(rabi, [{ time_range: override }]);
      return problems.length > 0 ? problems : [parameters.time_range?.value, parameters.time_range?.unit];
    };
    expect(swept({ value: [0, 0.4, 41], value_type: 'np.linspace', unit: 'µs' })).toEqual([
      [0, 400, 41],
      'ns',
    ]);
    expect(swept({ value: [0, 0.4, 0.01], value_type: 'np.arange', unit: 'us' })).toEqual([
      [0, 400, 10],
      'ns',
    ]);
    expect(swept({ value: [-8, -6, 5], value_type: 'np.logspace', unit: 's' })).toEqual([[1, 3, 5], 'ns']);
    expect(swept({ value: [0, 400, 10], value_type: 'np.arange', unit: 'GHz' })).toEqual([
      expect.stringMatching(/time_range of CheckRabi cannot be used: the unit "GHz" .* "ns" is expected/),
    ]);
  });

  test("are a flow's defaults for all tasks, overridden by those for this task", () => {
    const defaults = {
      shots: { value: 10 },
      hpi_duration: { value: 32 },
      CheckRabi: { shots: { value: 20 } },
      CheckT1: { shots: { value: 30 } },
    };
    const forRabi = flowDefaults(rabi, defaults);
    expect(forRabi).toEqual({ shots: { value: 20 } });
    const { parameters } = resolveRunParameters(rabi, [forRabi, { shots: 40 }]);
    expect(parameters.shots?.value).toBe(40);
  });
});
