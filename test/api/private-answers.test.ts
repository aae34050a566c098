import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, expectProblems, type Person, startApi } from './harness.ts';

let api: Api;
let person: Person;

beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson();
});
afterAll(() => api.close());

test('every answer is taken for what its type says, and none is kept that does not say so', async () => {
  const answers = [
    await api.as(person)('/auth/me'),
    await api.as(person)('/projects'),
    await api.call('/auth/me'),
    await api.call('/no/such/address'),
    await api.call('/files/tree'),
    await api.as(person)('/settings'),
  ];
  for (const { headers } of answers) {
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  }
});

test('the page of the documentation is shown within no other', async () => {
  const { headers, text } = await api.call('/docs/');
  expect(headers['content-type']).toContain('text/html');
  expect(headers['x-frame-options']).toBe('DENY');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toMatch(/(?:^|; ?)script-src 'self'(?:;|$)/);
  expect(policy).toContain("object-src 'none'");
  for (const [, attributes, code] of text.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
    expect([attributes, code?.trim()]).toEqual([expect.stringContaining('src='), '']);
  }
});

test('a commit message with NUL is refused', async () => {
  const body = { commit_message: 'a\0b' };
  expectProblems(await api.as(person)('/files/git/push', { method: 'POST', body }), [
    ['value_error', 'body', 'commit_message'],
  ]);
});
