import { afterEach, expect, test, vi } from 'vitest';
import { createTokens } from '../../../../shared/domain/accounts/tokens.ts';
import { userNamed } from '../../../support/ids.ts';

const tokens = createTokens(async () => 'a secret of the tests', { lifetime: 60, idle: 60 });
const user = { _id: userNamed('user'), token_generation: 3 };

afterEach(() => void vi.useRealTimers());

test('a token says the same each time that it is read, until it has expired', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T00:00:00Z') });
  const { access_token } = await tokens.issue(user);
  const first = await tokens.read(access_token);
  expect(first).toMatchObject({
    user_id: 'user',
    generation: 3,
    expires_at: new Date('2026-01-01T00:01:00Z'),
  });
  vi.setSystemTime(new Date('2026-01-01T00:00:59Z'));
  expect(await tokens.read(access_token)).toEqual(first);
  vi.setSystemTime(new Date('2026-01-01T00:01:00Z'));
  expect(await tokens.read(access_token)).toBeNull();
});

test('a token with another signature is refused, also after the right one was read', async () => {
  const { access_token } = await tokens.issue(user);
  expect(await tokens.read(access_token)).not.toBeNull();
  const [head, body] = access_token.split('.');
  const other = createTokens(async () => 'another secret', { lifetime: 60, idle: 60 });
  const forged = `${head}.${body}.${(await other.issue(user)).access_token.split('.')[2]}`;
  expect(await tokens.read(forged)).toBeNull();
  expect(await tokens.read(forged)).toBeNull();
});
