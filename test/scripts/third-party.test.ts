import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';
import { installedPackages, isAccepted, storePackages, thirdPartyPage } from '../../scripts/third-party.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

test('THIRD_PARTY.md lists what is installed (npm run third-party writes it)', () => {
  expect(readFileSync(new URL('THIRD_PARTY.md', packageRoot), 'utf8')).toBe(thirdPartyPage());
});

test('every package is under a licence that was accepted', () => {
  const { service, console: ofConsole } = installedPackages();
  const all = [...service, ...ofConsole, ...storePackages()];
  expect(all.filter((each) => !isAccepted(each))).toEqual([]);
  expect(service.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'mongodb', 'sharp']));
  expect(ofConsole.map(({ name }) => name)).toEqual(expect.arrayContaining(['react', 'scheduler']));
  // Used by the tests alone.
  expect(service.map(({ name }) => name)).not.toContain('vitest');
});

test.each([
  ['GPL-3.0-or-later', false],
  ['MIT AND GPL-2.0-only', false],
  ['SEE LICENSE IN LICENSE.txt', false],
  ['unknown', false],
  ['(MIT OR Apache-2.0)', true],
])('a package under %s is accepted: %s', (licence, accepted) => {
  expect(isAccepted({ name: 'made-up', version: '1.0.0', licence })).toBe(accepted);
});
