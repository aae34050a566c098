import { describe, expect, test } from 'vitest';
import type { Installation, NewerVersion } from '../../../../shared/domain/system-updates/model.ts';
import { chooseUpdate, isStableVersion } from '../../../../shared/domain/system-updates/rules.ts';

const signedOff = { automatic_update: true, migration_mode: 'compose' };

function newer(version: string, manifest: NewerVersion['manifest'] = signedOff): NewerVersion {
  return { version, commit: `of ${version}`, manifest };
}

function choose(versions: readonly NewerVersion[], other: Partial<Installation> = {}) {
  return chooseUpdate({
    branch: 'main',
    commit: 'c0ffee',
    version: 'v1.2.0',
    dirty: false,
    newer: [...versions],
    remote_problem: null,
    checked_at: '2026-11-22T00:00:00.000Z',
    ...other,
  });
}

test.each([
  ['v1.2.3', true],
  ['v0.0.0', true],
  ['v1.2', false],
  ['v1.2.3-rc.1', false],
  ['v1.2.3+build', false],
  ['v01.2.3', false],
  ['1.2.3', false],
  ['v99999999999999999999.0.0', false],
])('%s is a stable version: %s', (tag, is) => {
  expect(isStableVersion(tag)).toBe(is);
});

describe('the version that is installed', () => {
  test('is the newest that is signed off', () => {
    expect(choose([newer('v1.3.0'), newer('v2.0.0')]).plan?.target_version).toBe('v2.0.0');
  });

  test('passes over one that is not signed off', () => {
    expect(choose([newer('v1.3.0', null), newer('v1.4.0')]).plan?.target_version).toBe('v1.4.0');
    expect(choose([newer('v1.3.0'), newer('v1.4.0', null)])).toMatchObject({
      plan: { target_version: 'v1.3.0' },
      latest: 'v1.3.0',
    });
  });

  test('never goes beyond one that asks for work by hand', () => {
    const byHand = newer('v2.0.0', {
      ...signedOff,
      automatic_update: false,
      notes: 'Move the database first.',
    });
    expect(choose([newer('v1.3.0'), byHand, newer('v2.1.0')]).plan?.target_version).toBe('v1.3.0');
    expect(choose([byHand, newer('v2.1.0')])).toEqual({
      plan: null,
      latest: 'v2.1.0',
      reason: 'Move the database first.',
    });
    const otherWay = newer('v2.0.0', { ...signedOff, migration_mode: 'manual' });
    expect(choose([otherWay]).reason).toBe('v2.0.0 cannot be installed automatically.');
  });

  test('is none where there is none, or none signed off', () => {
    expect(choose([])).toEqual({
      plan: null,
      latest: null,
      reason: 'The newest stable version is installed.',
    });
    expect(choose([newer('v1.2.0'), newer('v1.1.0')]).latest).toBeNull();
    expect(choose([newer('v1.3.0', null)]).reason).toBe(
      'v1.3.0 is not signed off: it has no update-manifest.json.',
    );
  });
});
