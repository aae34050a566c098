import { expect, test } from 'vitest';
import { foreignMessage, relationOf } from '../../../../shared/kernel/installation/rules.ts';

const marked = (installation_id: string | null, namespace_id: string | null) => ({
  installation_id,
  namespace_id,
  is_closed: false,
});
const stored = (installation_id: string, namespace_id: string | null) => ({ installation_id, namespace_id });

test.each([
  ['both new', stored('a', null), marked(null, 'n'), 'unmarked'],
  ['a namespace whose id the store has, without its mark', stored('a', 'n'), marked(null, 'n'), 'unmarked'],
  ['the same on both sides', stored('a', 'n'), marked('a', 'n'), 'same'],
  [
    'the mark of a process that died before it recorded the namespace',
    stored('a', null),
    marked('a', 'n'),
    'unbound',
  ],
  ['an account that may not read the id of the namespace', stored('a', null), marked('a', null), 'same'],
  ['such an account, and a namespace without a mark', stored('a', 'n'), marked(null, null), 'foreign'],
  ['a namespace that was made again', stored('a', 'n'), marked(null, 'other'), 'foreign'],
  [
    'the Temporal that was used before another one was adopted',
    stored('a', 'n'),
    marked('a', 'other'),
    'foreign',
  ],
  ['a new store and the namespace of another one', stored('a', null), marked('b', 'n'), 'foreign'],
  ['a store that was restored from another installation', stored('a', 'n'), marked('b', 'n'), 'foreign'],
])('%s', (_, store, mark, relation) => {
  expect(relationOf(store, mark)).toBe(relation);
});

test('the message names both sides with their ids, and the commands', () => {
  const places = { database: 'lab', address: '10.0.0.7:7233', namespace: 'calibron' };
  const message = foreignMessage(stored('id-of-store', 'n-1'), marked('id-of-temporal', 'n-2'), places);
  for (const part of [
    'database lab',
    'id-of-store',
    'n-1',
    '10.0.0.7:7233',
    'namespace calibron',
    'id-of-temporal',
    'n-2',
  ])
    expect(message).toContain(part);
  for (const part of ['temporal', 'store']) expect(message).toContain(`npm run adopt -- ${part}`);
  expect(foreignMessage(stored('a', null), null, places)).toContain('does not answer');
});
