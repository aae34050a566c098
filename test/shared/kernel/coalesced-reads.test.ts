import { expect, test } from 'vitest';
import { coalesced } from '../../../shared/kernel/coalesced-reads.ts';

/** A store of some documents that notes its requests. */
function storeOf(...ids: string[]) {
  const asked: string[][] = [];
  const stored = new Set(ids);
  const findMany = async (wanted: readonly string[]) => {
    asked.push([...wanted]);
    return wanted.filter((id) => stored.has(id)).map((_id) => ({ _id }));
  };
  return { asked, stored, findMany };
}

test('reads of one turn are one command, one of the same document once, each with its own answer', async () => {
  const { asked, findMany } = storeOf('a', 'b');
  const find = coalesced(findMany);
  const answers = await Promise.all(['b', 'missing', 'a', 'b'].map((id) => find(id)));
  expect(answers).toEqual([{ _id: 'b' }, null, { _id: 'a' }, { _id: 'b' }]);
  expect(asked).toEqual([['b', 'missing', 'a']]);
});

test('nothing is kept: what is gone is gone for the next who asks', async () => {
  const { stored, findMany } = storeOf('a');
  const find = coalesced(findMany);
  expect(await find('a')).toEqual({ _id: 'a' });
  stored.delete('a');
  expect(await find('a')).toBeNull();
});

test('a failure reaches all who asked, and the next may succeed', async () => {
  let isAway = true;
  const { findMany } = storeOf('a', 'b');
  const find = coalesced((ids) => (isAway ? Promise.reject(new Error('away')) : findMany(ids)));
  const outcomes = await Promise.allSettled([find('a'), find('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await find('a')).toEqual({ _id: 'a' });
});
