import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFromOwnPage } from '../../../api/console/own-page-rules.ts';
import { consolePages } from '../../../api/console/pages.ts';
import { user } from '../../../shared/domain/accounts/model.ts';
import { readSettings } from '../../../shared/domain/settings.ts';
import { type Answer, type Api, expectError, type Person, read, startApi } from '../harness.ts';

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let api: Api;
let person: Person;
beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson();
});
afterAll(() => api.close());

const credentials = () =>
  new URLSearchParams({ username: person.username, password: person.password }).toString();
const signIn = (headers: Record<string, string> = OWN_PAGE) =>
  api.call('/console/api/auth/login', {
    method: 'POST',
    text: credentials(),
    headers: { ...FORM, ...headers },
  });
/** The cookie that an answer sets, as a browser sends it back. */
const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0] ?? '';

describe('the session of the console', () => {
  test('is a cookie that no script can read and that goes to the console alone', async () => {
    const answer = await signIn();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ access_token: '', username: person.username });
    const attributes = String(answer.headers['set-cookie']).split('; ').slice(1);
    expect(attributes).toEqual(
      expect.arrayContaining([
        'Path=/console/api',
        'HttpOnly',
        'SameSite=Strict',
        expect.stringMatching(/^Max-Age=\d{6,}$/),
      ]),
    );
    const cookie = cookieOf(answer);
    const me = await api.call('/console/api/auth/me', { headers: { cookie, ...OWN_PAGE } });
    expect(read(user, me).username).toBe(person.username);
    expectError(await api.call('/auth/me', { headers: { cookie } }), 401, 'not_authenticated');
  });

  test('ends with a sign-out, in every tab', async () => {
    const cookie = cookieOf(await signIn());
    const headers = { cookie, ...OWN_PAGE };
    const out = await api.call('/console/api/auth/logout', { method: 'POST', headers });
    expect(out.status).toBe(200);
    expect(out.headers['set-cookie']).toContain('Max-Age=0');
    expectError(await api.call('/console/api/auth/me', { headers }), 401, 'not_authenticated');
  });

  test('stays that of an administrator who makes an account', async () => {
    const admin = await api.makePerson({ system_role: 'admin' });
    const begun = await api.call('/console/api/auth/login', {
      method: 'POST',
      text: new URLSearchParams({ username: admin.username, password: admin.password }).toString(),
      headers: { ...FORM, ...OWN_PAGE },
    });
    const headers = { cookie: cookieOf(begun), ...OWN_PAGE };
    const body = { username: 'made-by-hand' };
    const made = await api.call('/console/api/auth/register', { method: 'POST', body, headers });
    expect(made.body).toMatchObject({ username: 'made-by-hand', access_token: '' });
    expect(made.headers['set-cookie']).toBeUndefined();
  });

  test('takes no other token', async () => {
    const headers = { authorization: `Bearer ${person.token}`, ...OWN_PAGE };
    expectError(await api.call('/console/api/auth/me', { headers }), 401, 'not_authenticated');
    expect((await api.call('/auth/me', { headers })).status).toBe(200);
  });

  test.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another host of this site', { 'sec-fetch-site': 'same-site' }],
    ['a page of another origin, by an old browser', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['no page', {}],
  ])('changes nothing for %s', async (_name, headers) => {
    const cookie = cookieOf(await signIn());
    const given = { cookie, ...headers };
    expectError(
      await api.call('/console/api/auth/logout', { method: 'POST', headers: given }),
      403,
      'forbidden',
    );
    expectError(await signIn(headers as Record<string, string>), 403, 'forbidden');
    const me = await api.call('/console/api/auth/me', { headers: { cookie, ...OWN_PAGE } });
    expect(me.status).toBe(200);
  });
});

test('a page reads and changes its own origin only', () => {
  const origins = ['https://lab.example', undefined];
  const may = (method: string, headers: Record<string, string>) =>
    isFromOwnPage({ method, headers, origins });
  expect(may('POST', { 'sec-fetch-site': 'same-origin', origin: 'https://lab.example' })).toBe(true);
  expect(may('POST', { 'sec-fetch-site': 'cross-site', origin: 'https://lab.example' })).toBe(false);
  expect(may('DELETE', { origin: 'https://lab.example' })).toBe(true);
  expect(may('PATCH', { origin: 'http://lab.example' })).toBe(false);
  expect(may('GET', { 'sec-fetch-site': 'none' })).toBe(true);
  expect(may('POST', { 'sec-fetch-site': 'none' })).toBe(false);
  expect(may('GET', { 'sec-fetch-site': 'cross-site' })).toBe(false);
  expect(may('GET', {})).toBe(true);
  expect(may('PUT', {})).toBe(false);
});

describe('the pages of the console', () => {
  let built: string;
  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), 'calibron-built-'));
    await mkdir(join(built, 'assets'));
    await writeFile(join(built, 'index.html'), '<base href="/console/" /><p>console</p>');
    await writeFile(join(built, 'assets', 'main-abc123.js'), 'true;');
  });
  afterAll(() => rm(built, { recursive: true }));

  async function pages(environment: Record<string, string>) {
    const app = Fastify();
    await app.register(consolePages, { settings: readSettings(environment), built });
    return app;
  }

  test('are one page at every address, under a strict policy, with scripts that are kept for ever', async () => {
    const app = await pages({});
    for (const url of ['/console/', '/console/execution/A16/20260101-1?task=x']) {
      const { headers, body } = await app.inject(url);
      expect(body).toContain('<p>console</p>');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers['content-security-policy']).toContain("script-src 'self';");
    }
    const script = await app.inject('/console/assets/main-abc123.js');
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await app.inject('/console/assets/none.js')).statusCode).toBe(404);
    expect((await app.inject('/console/assets/..%2findex.html')).statusCode).not.toBe(200);
    await app.close();
  });

  test('know the path of the proxy before them', async () => {
    const app = await pages({ PUBLIC_URL: 'https://lab.example/calibron' });
    expect((await app.inject('/console/')).body).toContain('<base href="/calibron/console/" />');
    await app.close();
  });

  test('are not there when they are switched off', async () => {
    const app = await pages({ CONSOLE: 'off' });
    expect((await app.inject('/console/')).statusCode).toBe(404);
    await app.close();
    expect(readSettings({ CONSOLE: 'off' }).CLIENT_URL).toBe('http://localhost:5714');
    expect(readSettings({ API_PORT: '6000' }).CLIENT_URL).toBe('http://localhost:6000/console/');
  });
});
