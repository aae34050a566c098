import { expect, test } from 'vitest';
import type { TokenClaims } from '../../../../shared/domain/accounts/model.ts';
import { forgottenTokens, judgeToken, noteEvery } from '../../../../shared/domain/accounts/rules.ts';
import { userNamed } from '../../../support/ids.ts';

const HOUR = 3_600_000;
const issued_at = new Date('2026-01-05T08:00:00Z');
const later = (hours: number) => new Date(issued_at.getTime() + hours * HOUR);
const token: TokenClaims = {
  user_id: userNamed('u'),
  token_id: 't',
  generation: 3,
  issued_at,
  expires_at: later(720),
};
const user = { disabled: false, token_generation: 3, revoked_tokens: [] };

test('a token that is not used is good for the idle time after it was issued', () => {
  expect(judgeToken(user, token, 12 * HOUR, later(11.9))).toBe('accepted');
  expect(judgeToken(user, token, 12 * HOUR, later(12.1))).toBe('idle');
});

test('a token in use stays valid: each use extends it', () => {
  const used = { ...user, token_uses: { t: later(11), other: later(40) } };
  expect(judgeToken(used, token, 12 * HOUR, later(22.9))).toBe('accepted');
  expect(judgeToken(used, token, 12 * HOUR, later(23.1))).toBe('idle');
});

test('the token that changed the password outlives its generation, and can be revoked', () => {
  const changed = { ...user, token_generation: 4 };
  expect(judgeToken(changed, token, HOUR, issued_at)).toBe('revoked');
  expect(judgeToken({ ...changed, spared_token: 't' }, token, HOUR, issued_at)).toBe('accepted');
  expect(judgeToken({ ...changed, spared_token: 'other' }, token, HOUR, issued_at)).toBe('revoked');
  const revoked_tokens = [{ token_id: 't', expires_at: token.expires_at }];
  expect(judgeToken({ ...changed, spared_token: 't', revoked_tokens }, token, HOUR, issued_at)).toBe(
    'revoked',
  );
  expect(judgeToken({ ...changed, spared_token: 't', disabled: true }, token, HOUR, issued_at)).toBe(
    'disabled',
  );
});

test('uses are noted once a minute, and more often where the idle time is short', () => {
  expect([noteEvery(12 * HOUR), noteEvery(100)]).toEqual([60_000, 10]);
});

test('unused tokens are forgotten', () => {
  const token_uses = { old: later(0), fresh: later(11) };
  expect(forgottenTokens({ token_uses }, 12 * HOUR, later(12.1))).toEqual(['old']);
  expect(forgottenTokens({}, 12 * HOUR, later(12.1))).toEqual([]);
});
