import { expect, test } from 'vitest';
import { whyEnded } from '../../../scripts/backup/settle-rules.ts';

const storeFrom = new Date('2026-11-27T03:00:00Z');
const still = { isOpen: true, pending: 0, changedAt: new Date('2026-11-27T02:59:59Z') };

test('a run that stood still while the backup was made goes on', () => {
  expect(whyEnded(still, storeFrom)).toBeNull();
});

test('a run of which store and Temporal may know different things is ended', () => {
  expect(whyEnded(null, storeFrom)).toMatch(/does not know/);
  expect(whyEnded({ ...still, isOpen: false }, storeFrom)).toMatch(/ended while the backup/);
  expect(whyEnded({ ...still, pending: 1 }, storeFrom)).toMatch(/was measuring/);
  expect(whyEnded({ ...still, changedAt: storeFrom }, storeFrom)).toMatch(/went on while/);
});
