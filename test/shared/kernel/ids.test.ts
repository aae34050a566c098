import { expect, test } from 'vitest';
import { isUuid, keyOf } from '../../../shared/kernel/ids.ts';
import { derivedId, newId } from '../../../shared/kernel/new-ids.ts';
import { projectNamed } from '../../support/ids.ts';

test('derived ids are UUIDs that follow from their source alone', () => {
  const source = newId();
  expect(isUuid(derivedId(source, 'a'))).toBe(true);
  expect(derivedId(source, 'a')).toBe(derivedId(source, 'a'));
  expect(derivedId(source, 'a')).not.toBe(derivedId(source, 'b'));
  expect(keyOf(projectNamed('p'), 'c', 1)).toBe('p/c/1');
});
