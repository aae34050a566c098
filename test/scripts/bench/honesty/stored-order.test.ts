import { expect, test } from 'vitest';
import { kinds } from '../../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../../scripts/bench/honesty/measuring.ts';

const MEASUREMENTS = 60;

test('a train that is stored in reverse is refused, or its rotation error has an honest error', () => {
  const kind = kinds.find(({ name }) => name === 'CheckHPIPulse, the points are stored backwards');
  if (kind === undefined) return expect.fail('the kind is not listed');
  const verdicts = Array.from({ length: MEASUREMENTS }, (_, index) => judge(kind, `backwards-${index}`));
  expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
  const pulls = verdicts.flatMap(({ pulls: { hpi_rotation_error: pull } }) => pull ?? []);
  expect(pulls.length).toBeGreaterThan(MEASUREMENTS / 3);
  const rms = Math.sqrt(pulls.reduce((sum, pull) => sum + pull ** 2, 0) / pulls.length);
  expect(rms).toBeLessThan(1.4);
});

test.each(['CheckHPIPulse', 'CheckPIPulse'])('almost no good train is refused (%s)', (name) => {
  const kind = kinds.find((each) => each.name === name);
  if (kind === undefined) return expect.fail('the kind is not listed');
  const verdicts = Array.from({ length: MEASUREMENTS }, (_, index) => judge(kind, `forwards-${index}`));
  expect(verdicts.filter(({ outcome }) => outcome !== 'accepted').length).toBeLessThanOrEqual(1);
});
