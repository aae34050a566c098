import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { backendList } from '../../shared/domain/backends/model.ts';
import { publicSettingsOf } from '../../shared/domain/configuration/index.ts';
import { publicSettings, reloadAnswer } from '../../shared/domain/configuration/model.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { buildCheckedServer } from '../support/documented-answers.ts';
import { eventually } from '../support/laboratory.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

let api: Api;
let administrator: Person;
/** A second process of the same installation. */
let second: Awaited<ReturnType<typeof buildCheckedServer>>;
let config: string;
let project: string;

const secrets = {
  ADMIN_PASSWORD: 'word-of-the-admin',
  TOKEN_SECRET: 'x'.repeat(40),
  CONFIG_REPO_TOKEN: 'token-of-repo',
};

beforeAll(async () => {
  api = await startApi({ environment: secrets });
  const { settings, database, engine } = api;
  second = await buildCheckedServer({ settings, database, engine, log: createLog('test', 'silent') });
  administrator = await api.makePerson({ system_role: 'admin' });
  config = settings.CONFIG_PATH;
  project = await api.makeProject(administrator);
});
afterAll(async () => {
  await second.close();
  await api.close();
});
beforeEach(async () => {
  await rm(config, { recursive: true, force: true });
  await mkdir(config);
  await reload();
});

const write = (name: string, text: string) => writeFile(join(config, name), text);
const backends = (...names: string[]) =>
  JSON.stringify({ backends: Object.fromEntries(['simulator', ...names].map((name) => [name, {}])) });
const reload = () => api.as(administrator)('/admin/config/reload', { method: 'POST' });

/** Names of the backends as each of the two processes shows them. */
async function shown(): Promise<string[][]> {
  const headers = { authorization: `Bearer ${administrator.token}`, 'x-project-id': project };
  const answers = await Promise.all(
    [api.server, second].map((server) => server.inject({ url: '/backends', headers })),
  );
  return answers.map((answer) => backendList.parse(answer.json()).backends.map(({ name }) => name));
}

describe('a reload of the configuration', () => {
  test('is followed by every process', async () => {
    expect(await shown()).toEqual([['simulator'], ['simulator']]);
    await write('backends.json', backends('lab'));
    expect(read(reloadAnswer, await reload())).toEqual({
      cleared: ['backends.json', 'copilot.yaml', 'maintenance.yaml', 'metrics.yaml'],
    });
    await eventually(async () => (await shown()).every((names) => names.join() === 'lab,simulator'));
    await rm(join(config, 'backends.json'));
    await reload();
    await eventually(async () => (await shown()).every((names) => names.join() === 'simulator'));
  });

  test('is refused as a whole, naming what is wrong, and the former content stays in use', async () => {
    await write('backends.json', backends('lab'));
    await mkdir(join(config, 'chip'));
    await write('chip/wiring.yaml', 'a: [1\n');
    const syntax = expectError(await reload(), 400, 'invalid_configuration');
    expect(syntax).toMatch(/^Nothing was reloaded\. chip\/wiring\.yaml: .* line 2/);
    await write('chip/wiring.yaml', 'a: [1]\n');
    await write('backends.json', JSON.stringify({ backends: { simulator: { taks: [] } } }));
    expect(expectError(await reload(), 400, 'invalid_configuration')).toContain('backends.simulator');
    await write('backends.json', JSON.stringify({ backends: { lab: {} } }));
    expect(expectError(await reload(), 400, 'invalid_configuration')).toContain('DEFAULT_BACKEND');
    expect(await shown()).toEqual([['simulator'], ['simulator']]);
  });

  test('names the first five mistakes and counts the rest', async () => {
    for (let index = 0; index < 7; index++) await write(`${index}.json`, '{');
    const message = expectError(await reload(), 400, 'invalid_configuration');
    expect(message.match(/\.json: /g)).toHaveLength(5);
    expect(message).toMatch(/And 2 more\.$/);
  });

  test('looks at YAML and JSON alone, and at nothing hidden', async () => {
    await write('notes.txt', 'a: [');
    await write('.hidden.yaml', 'a: [');
    expect((await reload()).status).toBe(200);
    await write('binary.yaml', 'a: \ud800');
    await writeFile(join(config, 'binary.yaml'), Buffer.from([0xff]));
    expect(expectError(await reload(), 400, 'invalid_configuration')).toContain(
      'binary.yaml: This file is not UTF-8 text',
    );
  });

  test('is for administrators', async () => {
    const person = await api.makePerson();
    expectError(await api.as(person)('/admin/config/reload', { method: 'POST' }), 403, 'admin_required');
    expectError(await api.call('/admin/config/reload', { method: 'POST' }), 401, 'not_authenticated');
  });
});

test('a start with a configuration that is wrong is refused with what is wrong', async () => {
  await write('backends.json', '{"backends": []}');
  const { settings, database, engine } = api;
  const started = buildCheckedServer({ settings, database, engine, log: createLog('test', 'silent') });
  await expect(started).rejects.toThrow('config/backends.json is wrong at backends');
});

describe('the settings', () => {
  test('can be read by everyone who is signed in', async () => {
    const person = await api.makePerson();
    const answer = await api.as(person)('/settings');
    expect(read(publicSettings, answer)).toMatchObject({
      env: 'local',
      client_url: 'http://localhost:5715/console/',
      chat_channel_id: '',
      calib_data_path: api.settings.CALIB_DATA_PATH,
      docdb_name: api.settings.MONGODB_DATABASE,
      mongo_db_name: api.settings.MONGODB_DATABASE,
      prefect_api_url: api.settings.TEMPORAL_ADDRESS,
      postgres_port: 5432,
      docdb_express_port: 8081,
      sqldb_port: 5432,
      api_port: 5715,
      ui_port: 5715,
      log_level: 'INFO',
      timezone: 'Asia/Tokyo',
    });
    expect(Object.keys(z.record(z.string(), z.unknown()).parse(answer.body)).sort()).toEqual(
      Object.keys(publicSettings.shape).sort(),
    );
    expectError(await api.call('/settings'), 401, 'not_authenticated');
  });

  test('have no secret among them', async () => {
    const { text } = await api.as(administrator)('/settings');
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    expect(text).not.toContain(api.settings.MONGODB_URI);
  });

  test('have the ports that addresses name, else the usual ones', () => {
    const of = (environment: Record<string, string>) => publicSettingsOf(readSettings(environment));
    const given = of({
      MONGODB_URI: 'mongodb://user:pass:word@db1:27018,db2:27019/?replicaSet=a',
      TEMPORAL_ADDRESS: 'temporal.example.org:7240',
      CLIENT_URL: 'https://lab.example.org:8443/calibron/',
    });
    expect(given).toMatchObject({ docdb_port: 27018, orchestrator_port: 7240, ui_port: 8443 });
    expect(JSON.stringify(given)).not.toContain('pass:word');
    const plain = of({ MONGODB_URI: 'mongodb+srv://db.example.org', CLIENT_URL: 'https://lab.example.org' });
    expect(plain).toMatchObject({ docdb_port: 27017, ui_port: 443 });
    expect(of({ CLIENT_URL: 'none' })).toMatchObject({ ui_port: 5714 });
  });
});
