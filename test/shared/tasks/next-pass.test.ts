import { expect, test } from 'vitest';
import { combinedReason, combinedSettings, runOfNextPass } from '../../../shared/tasks/next-pass.ts';

const setting = (value: number) => ({ value, value_type: 'float' });

test('targets that are measured together are repeated with the requests of all of them, of which the first one wins', () => {
  const again = combinedSettings([
    { run: { step: setting(1) }, reason: 'too coarse' },
    { run: { step: setting(2), shots: setting(9) }, reason: 'too noisy' },
    { run: {}, reason: 'a value jumped' },
  ]);
  expect(again.run).toEqual({ step: setting(1), shots: setting(9) });
  const run = { step: setting(4), width: setting(5) };
  expect(runOfNextPass(run, again)).toEqual({ step: setting(1), width: setting(5) });
});

test('a target that is repeated with settings of another one reports both reasons, otherwise its own', () => {
  const coarse = { target: '0', run: { step: setting(1) }, reason: 'the step is too coarse' };
  const noisy = { target: '1', run: { step: setting(2), shots: setting(9) }, reason: 'it is too noisy' };
  const alike = { target: '2', run: { step: setting(1) }, reason: 'the line is narrow' };
  const wishes = [coarse, noisy, alike];
  expect(wishes.map((wish) => combinedReason(wish, wishes))).toEqual([
    'the step is too coarse; with settings for target 1: it is too noisy',
    'it is too noisy; with settings for target 0: the step is too coarse',
    'the line is narrow; with settings for target 1: it is too noisy',
  ]);
  expect(combinedReason(alike, [coarse, alike])).toBe('the line is narrow');
});
