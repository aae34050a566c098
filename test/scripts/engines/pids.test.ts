import { afterEach, expect, test } from 'vitest';
import { startTimeFromPs, startTimeOf } from '../../../scripts/engines/pids.ts';
import { runsScripts } from '../../../scripts/start/process-table.ts';

const before = { LC_ALL: process.env['LC_ALL'], TZ: process.env['TZ'] };
afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test('where there is no /proc, a process has the same start time in every locale and time zone', () => {
  const times = [
    { LC_ALL: 'C', TZ: 'UTC' },
    { LC_ALL: 'ja_JP.UTF-8', TZ: 'Asia/Tokyo' },
    { LC_ALL: 'de_DE.UTF-8', TZ: 'America/New_York' },
  ].map((environment) => {
    Object.assign(process.env, environment);
    return startTimeFromPs(process.pid);
  });
  expect(times[0]).toMatch(/\d\d:\d\d:\d\d/);
  expect(new Set(times).size).toBe(1);
});

test('a process that is gone has no start time', () => {
  expect(startTimeFromPs(2 ** 22 + 1)).toBeNull();
  expect(startTimeOf(2 ** 22 + 1)).toBeNull();
});

test.each([
  'npm start',
  'npm run start',
  'node /usr/lib/node_modules/npm/bin/npm-cli.js start',
  'node /usr/local/bin/pnpm.cjs start',
  'node /opt/pnpm/bin/pnpm.mjs run start',
  'node /root/.npm/_npx/a1a38f5f/node_modules/.bin/pnpm start',
  'pnpm start',
  '/root/.bun/bin/bun run start',
  'bun start',
  'node /usr/share/yarn/bin/yarn.js start',
])('%s runs scripts of package.json', (command) => {
  expect(runsScripts(command)).toBe(true);
});

test.each([
  'sh -c node scripts/start.mjs',
  '-bash',
  'node /home/npm/server.js',
  'vim bundle.ts',
  'bundle exec',
])('%s does not', (command) => {
  expect(runsScripts(command)).toBe(false);
});
