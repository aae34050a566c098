import { describe, expect, test } from 'vitest';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { moreShots, suggestedRun, widerSweep } from '../../../shared/tasks/suggested-run.ts';

const task = findTask('CheckT1') ?? expect.fail('no task');
const { parameters: run } = resolveRunParameters(task, [{ shots: 1000 }]);

describe('the suggestion of a refusal', () => {
  test('is the request of its analysis, otherwise its suggestion', () => {
    const again = moreShots(run, 'noise', { factor: 2 });
    const suggestion = moreShots(run, 'noise', { factor: 8 });
    const both = suggestedRun(task, run, { rule: 'fit', again, suggestion });
    expect(both).toEqual({ run: { shots: { value: 2000, value_type: 'int' } }, reason: 'noise' });
    expect(suggestedRun(task, run, { rule: 'fit', suggestion })?.run.shots?.value).toBe(8000);
  });

  test('is more shots if a fit is not good enough, and nothing for impossible values', () => {
    expect(suggestedRun(task, run, { rule: 'r2' })?.run).toEqual({
      shots: { value: 4000, value_type: 'int' },
    });
    for (const rule of ['finite', 'fidelity', 'fit', 'outputs', 'bounds'] as const) {
      expect(suggestedRun(task, run, { rule })).toBeNull();
    }
  });

  test('contains no setting that the catalog forbids, that the task does not have, or that was already used', () => {
    const asked = (name: string, value: number) =>
      suggestedRun(task, run, {
        rule: 'fit',
        again: { run: { [name]: { value, value_type: 'int' } }, reason: 'noise' },
      });
    expect(asked('shots', 2_000_000)).toBeNull();
    expect(asked('colour', 3)).toBeNull();
    expect(asked('shots', 1000)).toBeNull();
    expect(asked('shots', 1001)).not.toBeNull();
  });
});

test('a wider sweep has twice the range on both sides, with the same steps', () => {
  const wider = (value: (number | string)[], value_type: string) =>
    widerSweep({ sweep: { value, value_type } }, 'sweep', 'too narrow')?.run.sweep;
  expect(wider([-0.025, 0.025, 126], 'np.linspace')).toEqual({
    value: [-0.05, 0.05, 251],
    value_type: 'np.linspace',
  });
  expect(wider([-0.5, -0.25, 0.001], 'np.arange')?.value).toEqual([-0.625, -0.125, 0.001]);
  expect(wider([2, 4, 51], 'np.logspace')).toBeUndefined();
  expect(wider([1, 2, 3, 4], 'list')).toBeUndefined();
});

test('more shots than an instrument should take at once are not suggested', () => {
  expect(moreShots({ shots: { value: 30_000, value_type: 'int' } }, 'noise')).toBeUndefined();
  expect(moreShots({}, 'noise')).toBeUndefined();
});
