import { expect, test } from 'vitest';
import {
  defaultCategories,
  keyOfName,
  mayEdit,
  mayFile,
  unknownPost,
  wholeTarget,
  wrongField,
} from '../../../../shared/domain/forum/rules.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';

test('the default categories have distinct keys, in their order', () => {
  const keys = defaultCategories.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(defaultCategories.toSorted((a, b) => a.sort_order - b.sort_order)).toEqual(defaultCategories);
});

test.each([
  ['Qubit Health', 'qubit-health'],
  ['--Coupling & CR--', 'coupling-cr'],
  ['_a_', 'a'],
  ['äöü', ''],
  ['x'.repeat(70), 'x'.repeat(64)],
  [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
])('the category %j has the key %j', (name, key) => {
  expect(keyOfName(name)).toBe(key);
});

test('a thread is about a whole target or none', () => {
  const whole = { chip_id: 'CHIP', target_type: 'qubit' as const, target_id: '0' };
  const none = { chip_id: null, target_type: null, target_id: null };
  expect(wholeTarget({ ...whole, chip_id: ' CHIP ', target_id: ' 0 ' })).toEqual(whole);
  for (const missing of ['chip_id', 'target_type', 'target_id'])
    for (const nothing of [null, undefined])
      expect(wholeTarget({ ...whole, [missing]: nothing })).toEqual(none);
  for (const blank of ['chip_id', 'target_id']) expect(wholeTarget({ ...whole, [blank]: ' ' })).toEqual(none);
});

test('authors and owners edit a post; editors may also file a thread', () => {
  const member = (role: 'owner' | 'editor' | 'viewer', user_id = userNamed('usr_mia')) => ({
    projectId: newProjectId(),
    role,
    actor: { user_id, username: 'mia' },
  });
  const [own, other] = [{ user_id: userNamed('usr_mia') }, { user_id: null }];
  const rights = (role: 'owner' | 'editor' | 'viewer', post: typeof own | typeof other) => [
    mayEdit(member(role), post),
    mayFile(member(role), post),
  ];
  for (const role of ['owner', 'editor', 'viewer'] as const) expect(rights(role, own)).toEqual([true, true]);
  expect(rights('owner', other)).toEqual([true, true]);
  expect(rights('editor', other)).toEqual([false, true]);
  expect(rights('viewer', other)).toEqual([false, false]);
});

test('errors name the field, or the missing post', () => {
  expect(wrongField('title', 'missing', 'Field required')).toMatchObject({
    code: 'invalid_input',
    message: 'title: Field required',
    problems: [{ type: 'missing', loc: ['body', 'title'], msg: 'Field required' }],
  });
  expect(unknownPost()).toMatchObject({
    code: 'not_found',
    message: 'There is no such post in this project.',
  });
});
