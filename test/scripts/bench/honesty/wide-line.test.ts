import { expect, test } from 'vitest';
import { kinds } from '../../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../../scripts/bench/honesty/measuring.ts';
import type { Kind } from '../../../../scripts/bench/honesty/model.ts';

test('a line that is so wide that it contains that of two photons gives no frequency between both', () => {
  const plain = kinds.find(({ name }) => name === 'CheckQubitFrequencies') ?? expect.fail('no such kind');
  if (plain.of === 'pair') return expect.fail('CheckQubitFrequencies measures qubits');
  const driven: Kind = {
    ...plain,
    name: 'CheckQubitFrequencies, a drive that widens the line beyond its own two-photon line',
    device: (qubit) => ({ ...qubit, maximumRabiFrequency: 14 * qubit.maximumRabiFrequency }),
  };
  const verdicts = Array.from({ length: 12 }, (_, index) => judge(driven, `wide-${index}`));
  expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
  expect(verdicts.map(({ message }) => message ?? '')).toContainEqual(
    expect.stringMatching(/ MHz wide to either side, .*: drive more weakly\.$/),
  );
});
