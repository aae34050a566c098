import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSettings } from '../../../shared/domain/settings.ts';
import { settingOf } from '../../../shared/kernel/secret-files.ts';

const directory = await mkdtemp(join(tmpdir(), 'calibron-secrets-'));
afterAll(() => rm(directory, { recursive: true }));
const path = join(directory, 'secret');
const secret = 'a secret of more than 32 characters';
await writeFile(path, `${secret}\n`);

test('a setting may be in a file, without the line break at its end', () => {
  expect(readSettings({ TOKEN_SECRET_FILE: path }).TOKEN_SECRET).toBe(secret);
  expect(settingOf({ HOST_KEY_FILE: path }, 'HOST_KEY')).toBe(secret);
  expect(settingOf({ HOST_KEY: 'key', HOST_KEY_FILE: '' }, 'HOST_KEY')).toBe('key');
  expect(settingOf({}, 'HOST_KEY')).toBeUndefined();
});

test('a file that cannot be read, and a setting given twice, are named without their values', () => {
  const missing = join(directory, 'missing');
  expect(() => readSettings({ TOKEN_SECRET_FILE: missing })).toThrow(
    'The setting TOKEN_SECRET_FILE is wrong: the file cannot be read.',
  );
  expect(() => readSettings({ TOKEN_SECRET_FILE: path, TOKEN_SECRET: secret })).toThrow(
    'The settings TOKEN_SECRET and TOKEN_SECRET_FILE are both set; set one of them.',
  );
});
