import { expect, test } from 'vitest';
import type { Installation } from '../../../../shared/domain/system-updates/model.ts';
import {
  chooseUpdate,
  currentVersion,
  isActive,
  progressAt,
} from '../../../../shared/domain/system-updates/rules.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const newer = { version: 'v1.1.0', commit: 'f'.repeat(40), manifest: null };
const installation: Installation = {
  branch: 'main',
  commit,
  version: 'v1.0.0',
  dirty: false,
  remote_problem: null,
  newer: [newer],
  checked_at: '2026-11-22T00:00:00.000Z',
};
const refusal = (fields: Partial<Installation>) => {
  const { plan, latest, reason } = chooseUpdate({ ...installation, ...fields });
  expect(plan).toBeNull();
  return [latest, reason];
};

test('an update needs a clean tree of the main branch with a stable version', () => {
  expect(refusal({ branch: 'mine' })).toEqual(['v1.1.0', 'The working tree is not on the branch main.']);
  expect(refusal({ dirty: true })[1]).toBe(
    'Files of the working tree were changed by hand. Put them back first.',
  );
  expect(refusal({ version: null })).toEqual([
    null,
    'What is installed is no stable version: its commit has no version tag.',
  ]);
  expect(refusal({ remote_problem: 'No network.' })[1]).toBe('No network.');
});

test('an update needs a newer version that is signed off', () => {
  expect(refusal({ newer: [] })).toEqual([null, 'The newest stable version is installed.']);
  expect(refusal({ version: 'v1.1.0' })).toEqual([null, 'The newest stable version is installed.']);
  expect(refusal({})).toEqual(['v1.1.0', 'v1.1.0 is not signed off: it has no update-manifest.json.']);
});

test('a version without a name is shown by its commit', () => {
  expect(currentVersion({ version: 'v1.0.0', commit })).toBe('v1.0.0');
  expect(currentVersion({ version: null, commit })).toBe('0123456789ab');
});

test('an update progresses until it is over', () => {
  expect((['queued', 'deploying', 'complete', 'failed'] as const).map(progressAt)).toEqual([0, 60, 100, 100]);
  expect((['queued', 'running', 'rolling_back', 'succeeded', 'failed'] as const).map(isActive)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
