import { expect, test } from 'vitest';
import { kinds } from '../../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../../scripts/bench/honesty/measuring.ts';
import type { Dataset } from '../../../../shared/science/datasets/model.ts';

const MEASUREMENTS = 10;

/** Puts the last points of a sweep in front of the others. */
function rollBy(count: number) {
  return ({ variables }: Dataset): void => {
    for (const name of ['iq_re', 'iq_im']) {
      const variable = variables[name] ?? expect.fail(`no ${name}`);
      variable.values = [...variable.values.slice(-count), ...variable.values.slice(0, -count)];
    }
  };
}

test.each([
  { task: 'CheckT1', count: 2 },
  { task: 'CheckT1', count: 3 },
  { task: 'CheckT2Echo', count: 2 },
])('a sweep of $task that begins with its last $count points gives no false value', ({ task, count }) => {
  const kind = kinds.find(({ name }) => name === task) ?? expect.fail(`no kind ${task}`);
  const rolled = { ...kind, name: `${task}, rolled by ${count}`, spoil: rollBy(count) };
  const verdicts = Array.from({ length: MEASUREMENTS }, (_, index) => judge(rolled, `rolled-${index}`));
  expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
});
