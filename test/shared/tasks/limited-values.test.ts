import { describe, expect, test } from 'vitest';
import { taskCatalog } from '../../../shared/tasks/catalog.ts';
import { inputsBeyondLimits, runWithinLimits } from '../../../shared/tasks/limited-values.ts';
import type { ResolvedParameter, TaskDefinition } from '../../../shared/tasks/model.ts';
import { sweepPoints } from '../../../shared/tasks/run-parameters.ts';
import { taskOf } from '../../support/measured.ts';

const definition = taskOf('CheckCZChevron');
const limitOf = (value: number) => ({ flux_pulse_limit: { value, value_type: 'float', unit: 'a.u.' } });

/** The rest of a sweep of amplitudes under a limit. */
function cut(value: ResolvedParameter['value'], value_type: string, limit: number) {
  const before = { value, value_type, unit: 'a.u.' };
  const { run, problem } = runWithinLimits(definition, { flux_amplitude_range: before }, limitOf(limit));
  const sweep = run.flux_amplitude_range ?? expect.fail('the sweep is gone');
  const points = sweepPoints(sweep);
  return { before, sweep, problem, points: points.ok ? points.value : [] };
}

function pointsOf(parameter: ResolvedParameter): number[] {
  const points = sweepPoints(parameter);
  return points.ok ? points.value : expect.fail(points.problem);
}

describe('a sweep that is limited by an input', () => {
  test.each([
    { value: [0.1, 0.5, 161], type: 'np.linspace' },
    { value: [0.5, 0.1, 161], type: 'np.linspace' },
    { value: [-0.5, 0.5, 101], type: 'np.linspace' },
    { value: [-2, 0, 41], type: 'np.logspace' },
    { value: [0, 0.5, 0.01], type: 'np.arange' },
    { value: [0.5, 0, -0.01], type: 'np.arange' },
    { value: [-2, 2, 1], type: 'range' },
    { value: [0.1, 0.2, 0.4], type: 'list' },
  ])('keeps of $type $value the points within the limit, and its kind', ({ value, type }) => {
    const limit = 0.3;
    const { before, sweep, points } = cut(value, type, limit);
    const kept = pointsOf(before).filter((point) => Math.abs(point) < limit + 1e-9);
    expect(kept.length).toBeGreaterThan(0);
    expect(points).toHaveLength(kept.length);
    for (const [index, point] of kept.entries()) expect(points[index]).toBeCloseTo(point, 12);
    expect(sweep.value_type).toBe(type);
  });

  test.each([
    { value: [0.1, 0.5, 161], type: 'np.linspace', limit: 0.3 },
    { value: [0.1, 0.5, 0.1], type: 'np.arange', limit: 0.3 },
    { value: [0.01, 0.79, 53], type: 'np.linspace', limit: 0.09999999999999999 },
    { value: [-0.45, -0.39, 3], type: 'np.logspace', limit: 0.35481338923357547 },
  ])(
    'keeps the point of $type $value at the limit $limit for any rounding, even if it is limited again',
    ({ value, type, limit }) => {
      const { sweep, points } = cut(value, type, limit);
      expect(points.at(-1)).toBeCloseTo(limit, 12);
      expect(cut(sweep.value, type, limit).sweep).toEqual(sweep);
    },
  );

  test('is unchanged if all of it is allowed', () => {
    const { before, sweep, problem } = cut([0.1, 0.5, 161], 'np.linspace', 0.5);
    expect(sweep).toEqual(before);
    expect(problem).toBeNull();
  });

  test.each([
    { value: [0.4, 0.5, 11], type: 'np.linspace' },
    { value: 0.4, type: 'float' },
    { value: 'all', type: 'str' },
  ])('is a problem and has no points if nothing of $value is allowed', ({ value, type }) => {
    const { problem, points } = cut(value, type, 0.3);
    expect(problem).toBe('no value of flux_amplitude_range is within flux_pulse_limit, which is 0.3');
    expect(points).toEqual([]);
  });

  test('is unchanged if nothing limits it', () => {
    const { run } = runWithinLimits(
      definition,
      { time_range: { value: [0, 900, 10], value_type: 'np.arange', unit: 'ns' } },
      limitOf(0.3),
    );
    expect(run.time_range?.value).toEqual([0, 900, 10]);
  });
});

test('an input beyond its limit is reported with both values', () => {
  const inputs = { ...limitOf(0.6), cz_flux_amplitude: { value: 0.7, value_type: 'float', unit: 'a.u.' } };
  expect(inputsBeyondLimits(taskOf('CheckCZPhase'), inputs)).toEqual([
    'cz_flux_amplitude (0.7, beyond flux_pulse_limit, which is 0.6)',
  ]);
  inputs.cz_flux_amplitude.value = 0.6;
  expect(inputsBeyondLimits(taskOf('CheckCZPhase'), inputs)).toEqual([]);
});

test('the limit of a value is an input that the task requires, and every flux amplitude has a limit', () => {
  for (const { name, inputs, runParameters } of taskCatalog as readonly TaskDefinition[]) {
    const values = [...Object.entries(inputs), ...Object.entries(runParameters)];
    for (const [value, { limitedBy }] of values) {
      if (value.includes('flux_amplitude')) expect(limitedBy, `${name} ${value}`).toBe('flux_pulse_limit');
      if (limitedBy !== undefined) expect(inputs[limitedBy]?.required, `${name} ${value}`).toBe(true);
    }
  }
});
