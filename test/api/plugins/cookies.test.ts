import { expect, test } from 'vitest';
import { cookieOf } from '../../../api/plugins/cookies.ts';

test.each([
  ['token=abc', 'abc'],
  ['other=1; token=abc; token=second', 'abc'],
  ['other=1;token = abc ', 'abc'],
  ['token=YWJj==; other=1', 'YWJj=='],
  ['my_token=abc', undefined],
  ['token2=abc', undefined],
  ['Token=abc', undefined],
  ['token=', undefined],
  ['token', undefined],
  ['=token=abc', undefined],
  ['', undefined],
])('of the cookies %j, the one of the name is %j', (cookie, value) => {
  expect(cookieOf({ headers: { cookie } }, 'token')).toBe(value);
});

test('a request without cookies has none', () => {
  expect(cookieOf({ headers: {} }, 'token')).toBeUndefined();
});
