import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings, settingsSchema } from '../../../shared/domain/settings.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import { SettingsError } from '../../../shared/kernel/secret-files.ts';

test('without environment every setting has its documented default', () => {
  const settings = readSettings({});
  expect(settings).toMatchObject({
    API_PORT: 5715,
    TIMEZONE: 'Asia/Tokyo',
    LOG_LEVEL: 'INFO',
    ADMIN_USERNAME: 'admin',
    TEMPORAL_NAMESPACE: 'calibron',
    WORKER_QUEUES: ['calibration', 'backend:simulator'],
    ENFORCE_PASSWORD_CHANGE: false,
  });
  expect(isAbsolute(settings.DATA_DIR)).toBe(true);
  expect(settings.CALIB_DATA_PATH).toBe(join(settings.DATA_DIR, 'calib_data'));
});

test('lists are taken apart, and web pages are reduced to their origin', () => {
  const settings = readSettings({
    API_CORS_ORIGINS: 'https://a.example/app, http://b.example:81',
    TRUSTED_PROXIES: ' 10.0.0.1,10.0.1.0/24 ',
  });
  expect(settings.API_CORS_ORIGINS).toEqual(['https://a.example', 'http://b.example:81']);
  expect(settings.TRUSTED_PROXIES).toEqual(['10.0.0.1', '10.0.1.0/24']);
  expect(readSettings({}).API_CORS_ORIGINS).toEqual(['http://localhost:5714']);
  expect(() => readSettings({ API_CORS_ORIGINS: '*' })).toThrow('API_CORS_ORIGINS');
  for (const wrong of ['uniquelocal', '10.0.0.1/33', '10.0.0', '::1/129', '*', '10.0.0.1/', 'true']) {
    expect(() => readSettings({ TRUSTED_PROXIES: wrong })).toThrow('TRUSTED_PROXIES');
  }
});

test('the default number of targets in flight is within the limit of a stage', () => {
  expect(readSettings({ STAGE_PARALLEL: '128' }).STAGE_PARALLEL).toBe(128);
  expect(() => readSettings({ STAGE_PARALLEL: '129' })).toThrow('STAGE_PARALLEL is wrong: must be 1 to 128');
});

test('an empty variable counts as unset', () => {
  expect(readSettings({ API_PORT: '', ADMIN_PASSWORD: '' }).API_PORT).toBe(5715);
});

test('each mistake is one message with the name of the setting and without its value', () => {
  const secret = 'short';
  const read = () =>
    readSettings({
      API_PORT: '99999',
      TIMEZONE: 'Mars/Olympus',
      ADMIN_PASSWORD: secret,
      MONGODB_URI: 'http://x',
    });
  expect(read).toThrow(SettingsError);
  try {
    read();
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    expect(thrown.problems).toHaveLength(4);
    for (const name of ['API_PORT', 'TIMEZONE', 'ADMIN_PASSWORD', 'MONGODB_URI']) {
      expect(thrown.problems.some((problem) => problem.startsWith(`The setting ${name} is wrong: `))).toBe(
        true,
      );
    }
    expect(thrown.message).not.toContain(secret);
  }
});

test('a quota names a setting that exists', async () => {
  const files = (await readdir(new URL('shared/domain', packageRoot), { recursive: true })).filter((path) =>
    path.endsWith('.ts'),
  );
  const texts = await Promise.all(
    files.map((path) => readFile(new URL(`shared/domain/${path}`, packageRoot), 'utf8')),
  );
  const named = texts.flatMap((text) => [...text.matchAll(/\bsetting: '(\w+)'/g)].map(([, name]) => name));
  expect(named).toContain('CHIPS_PER_PROJECT');
  expect(named.filter((name) => name !== undefined && !(name in settingsSchema.shape))).toEqual([]);
});
