import { expect, test } from 'vitest';
import {
  groupRolesOf,
  rolesOf,
  usernameFrom,
} from '../../../../shared/domain/identity-provider/group-rules.ts';

test('the highest role that any group gives in a project counts, and no group gives none', () => {
  const rules = groupRolesOf('guests=p1:viewer, operators=p1:editor,/lab/guests=p2:viewer');
  expect(rules).toHaveLength(3);
  expect([...rolesOf(rules, ['operators', 'guests'])]).toEqual([
    ['p1', 'editor'],
    ['p2', null],
  ]);
  expect([...rolesOf(rules, ['/lab/guests'])]).toEqual([
    ['p1', null],
    ['p2', 'viewer'],
  ]);
  expect(groupRolesOf(undefined)).toEqual([]);
});

test.each([
  ['Ada.Lovelace@lab.example', 'ada.lovelace'],
  ['_Zoë Müller', 'zo-m-ller'],
  ['x', null],
  [null, null],
])('the claim %s becomes the username %s', (claim, username) => {
  expect(usernameFrom(claim)).toBe(username);
});
