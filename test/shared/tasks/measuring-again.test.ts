import { expect, test } from 'vitest';
import { runOfNextPass, togetherAgain } from '../../../shared/tasks/measuring-again.ts';

const setting = (value: number) => ({ value, value_type: 'float' });

test('targets that are measured together are measured again with what any of them asks for, the first one first', () => {
  const again = togetherAgain([
    { run: { step: setting(1) }, reason: 'too coarse' },
    { run: { step: setting(2), shots: setting(9) }, reason: 'too noisy' },
    { run: {}, reason: 'a value jumped' },
  ]);
  expect(again.run).toEqual({ step: setting(1), shots: setting(9) });
  const run = { step: setting(4), width: setting(5) };
  expect(runOfNextPass(run, again)).toEqual({ step: setting(1), width: setting(5) });
});
