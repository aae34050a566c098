import { expect, test } from 'vitest';
import type { TokenClaims } from '../../../../shared/domain/accounts/model.ts';
import type { ProgramScope } from '../../../../shared/domain/accounts/program-token-model.ts';
import {
  assertPermitted,
  endAfterRotation,
  endOfToken,
  projectOfToken,
} from '../../../../shared/domain/accounts/program-token-rules.ts';
import { projectNamed, userNamed } from '../../../support/ids.ts';

const now = new Date('2026-01-02T00:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

function claims(scope: ProgramScope, project: string | null = null): TokenClaims {
  const program = { name: 'a', scopes: [scope], project_id: project === null ? null : projectNamed(project) };
  return {
    user_id: userNamed('u'),
    token_id: 't',
    generation: 0,
    issued_at: now,
    expires_at: inDays(1),
    program,
  };
}

test('a scope includes those before it, and none makes a program a person', () => {
  expect(() => assertPermitted(claims('operate'), 'run')).not.toThrow();
  expect(() => assertPermitted(claims('run'), 'operate')).toThrow('scope operate');
  expect(() => assertPermitted(claims('administer'), 'person')).toThrow('Sign in');
  expect(() => assertPermitted(null, 'person')).not.toThrow();
});

test('a token that is limited to a project names it, and no other may be named', () => {
  expect(projectOfToken(claims('read', 'p'), undefined)).toBe('p');
  expect(projectOfToken(claims('read', 'p'), projectNamed('p'))).toBe('p');
  expect(() => projectOfToken(claims('read', 'p'), projectNamed('q'))).toThrow('limited to another project');
  expect(projectOfToken(claims('read'), projectNamed('q'))).toBe('q');
  expect(projectOfToken(null, projectNamed(''))).toBeUndefined();
});

test('a token ends when its maker says, within the limit, else after 90 days', () => {
  expect(endOfToken(null, now, 366)).toEqual(inDays(90));
  expect(endOfToken(null, now, 30)).toEqual(inDays(30));
  expect(endOfToken(inDays(30), now, 30)).toEqual(inDays(30));
  expect(() => endOfToken(inDays(31), now, 30)).toThrow('at most 30 days');
  expect(() => endOfToken(now, now, 30)).toThrow('in the future');
});

test('a rotated token is valid for as long as the former one was', () => {
  expect(endAfterRotation({ rotated_at: inDays(-7), expires_at: inDays(7) }, now)).toEqual(inDays(14));
});
