import { expect, test } from 'vitest';
import { owningUser } from '../../../shared/kernel/owning-user.ts';
import { serviceAccountId } from '../../../shared/kernel/sharing-accounts.ts';

test('a service account uses the share of the user who made it, and everyone else their own', () => {
  const service = serviceAccountId('usr_1', '0'.repeat(32));
  expect(service).not.toBe('usr_1');
  expect(owningUser(service)).toBe('usr_1');
  expect(owningUser('usr_1')).toBe('usr_1');
  expect(owningUser('10.0.0.1')).toBe('10.0.0.1');
});
