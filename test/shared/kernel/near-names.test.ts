import { expect, test } from 'vitest';
import { nearestName } from '../../../shared/kernel/near-names.ts';

test('a first word means the shortest name that begins with it, before any misspelling', () => {
  expect(nearestName('chip', ['skip', 'chip_id_of_run', 'chip_id'])).toBe('chip_id');
  expect(nearestName('skp', ['skip', 'chip_id'])).toBe('skip');
  expect(nearestName('id', ['id_of_run'])).toBeUndefined();
});

test('a misspelt name means the known one with the fewest changes, if there are few', () => {
  expect(nearestName('CheckRaby', ['CheckT1', 'CheckRabi'])).toBe('CheckRabi');
  expect(nearestName('something', ['CheckT1', 'CheckRabi'])).toBeUndefined();
});
