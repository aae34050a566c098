import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { unknownSettingMessages } from '../../../shared/domain/setting-names.ts';
import { readSettings, settingsSchema } from '../../../shared/domain/settings.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import type { Environment } from '../../../shared/kernel/secret-files.ts';

const messagesOf = (environment: Environment) =>
  unknownSettingMessages(environment, readSettings({ AI_ENDPOINTS: environment['AI_ENDPOINTS'] }));

test.each([
  ['CALIBRON_CASH', 'CALIBRON_CACHE'],
  ['TEMPORAL_ADRESS', 'TEMPORAL_ADDRESS'],
  ['TEMPORAL_NAMESPCAE', 'TEMPORAL_NAMESPACE'],
  ['API_PROT', 'API_PORT'],
  ['API_HOSTNAME', 'API_HOST'],
  ['ADMIN_PASWORD', 'ADMIN_PASSWORD'],
  ['WORKER_QUEUE', 'WORKER_QUEUES'],
  ['MONGODB_URL', 'MONGODB_URI'],
  ['TOKEN_SECRET_FILES', 'TOKEN_SECRET_FILE'],
])('%s is no setting, and the warning names %s', (wrong, nearest) => {
  expect(messagesOf({ [wrong]: 'a secret' })).toEqual([
    `${wrong} is not a setting, so it has no effect. The nearest setting is ${nearest}.`,
  ]);
});

test('settings, their files, and variables that something else reads bring no warning', async () => {
  const settings = Object.keys(settingsSchema.shape);
  const example = await readFile(new URL('.env.example', packageRoot), 'utf8');
  const ofCompose = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(ofCompose).toContain('CALIBRON_ADDRESS');
  const others = [
    ...[
      'PATH',
      'HOME',
      'LANG',
      'NODE_ENV',
      'HTTPS_PROXY',
      'npm_config_user_agent',
      'MONGO_INITDB_ROOT_USERNAME',
    ],
    ...['API_SERVICE_HOST', 'API_PORT_80_TCP_ADDR', 'CALIBRON_TEST_MONGODB'],
  ];
  const names = [...settings, ...settings.map((name) => `${name}_FILE`), ...ofCompose, ...others];
  const environment = Object.fromEntries(names.map((name) => [name, 'x'] as const));
  expect(unknownSettingMessages(environment, readSettings({}))).toEqual([]);
});

test('a port of Temporal or of the store is reported as no setting, but not the address that Kubernetes sets for a service', () => {
  expect(messagesOf({ TEMPORAL_PORT: '7233', TEMPORAL_UI_PORT: '8233', API_PORTS: '80' })).toEqual([
    'TEMPORAL_PORT is not a setting, so it has no effect. Set TEMPORAL_ADDRESS, which includes the port.',
    'TEMPORAL_UI_PORT is not a setting, so it has no effect. Set TEMPORAL_UI_URL, which includes the port.',
    'API_PORTS is not a setting, so it has no effect. The nearest setting is API_PORT.',
  ]);
  expect(
    messagesOf({ MONGODB_PORT: '27017', MONGO_PORT: '27017', MONGODB_HOST: 'db', DB_PORT: '1' }),
  ).toEqual([
    'MONGODB_PORT is not a setting, so it has no effect. Set MONGODB_URI, which includes the port.',
    'MONGODB_HOST is not a setting, so it has no effect. Set MONGODB_URI, which includes the host.',
  ]);
  const address = 'tcp://10.0.7.1:7233';
  expect(
    messagesOf({ TEMPORAL_FRONTEND_PORT: address, TEMPORAL_PORT: address, API_METRICS_PORT: address }),
  ).toEqual([]);
});

test('the variable that holds the key of a language model is no mistake, and an empty variable is unset', () => {
  expect(messagesOf({ AI_ENDPOINTS: 'https://host/v1 API_KEY_OF_HOST', API_KEY_OF_HOST: 'x' })).toEqual([]);
  expect(messagesOf({ API_PROT: '', API_PROD: undefined })).toEqual([]);
});
