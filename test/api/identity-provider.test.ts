import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenResponse } from '../../shared/domain/accounts/model.ts';
import { signInProviders } from '../../shared/domain/identity-provider/model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { projectNamed, userNamed } from '../support/ids.ts';
import { type Answer, type Api, expectError, type Person, read, startApi } from './harness.ts';
import { client, type Forgery, type LocalProvider, redirectUri, startProvider } from './oidc-provider.ts';

let provider: LocalProvider;
let api: Api;
let owner: Person;
/** A project in which the group `operators` gives the role editor. */
const project = projectNamed(newId());

const environmentFor = (issuer: string) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: client.id,
  OIDC_CLIENT_SECRET: client.secret,
  OIDC_REDIRECT_URI: redirectUri,
  OIDC_CREATE_USERS: 'true',
  OIDC_GROUP_ROLES: `operators=${project}:editor`,
  PASSWORD_SIGN_IN: 'emergency',
  ADMIN_USERNAME: 'emergency',
});

beforeAll(async () => {
  provider = await startProvider();
  api = await startApi({ environment: environmentFor(provider.issuer) });
  owner = await api.makePerson({ username: 'emergency' });
  await api.areas.projects.ensure(
    { user_id: userNamed(owner.id), username: owner.username },
    { project_id: project, name: 'lab' },
  );
});
afterAll(async () => {
  await api.close();
  await provider.close();
});

function cookieIn({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';', 1)[0] ?? '';
}

/** Signs in as somebody whom the provider knows. */
async function signIn(who: string, claims: Record<string, unknown> = {}, forgery: Forgery | null = null) {
  provider.state.who = who;
  provider.state.claims.set(who, claims);
  provider.state.forgery = forgery;
  const begun = await api.call('/auth/oidc/login');
  expect(begun.status).toBe(302);
  const back = await provider.browse(String(begun.headers['location']));
  const headers = { cookie: cookieIn(begun), accept: 'application/json' };
  const answer = await api.call(`/auth/oidc/callback${back.search}`, { headers });
  return { answer, back, headers };
}

async function signedIn(who: string, claims: Record<string, unknown> = {}, forgery: Forgery | null = null) {
  const token = read(tokenResponse, (await signIn(who, claims, forgery)).answer);
  return { ...token, as: { id: '', username: token.username, password: '', token: token.access_token } };
}

test('the first sign-in makes an account, and a later one finds it by its subject', async () => {
  const first = await signedIn('subject-1', { preferred_username: 'Ada@lab.example', name: 'Ada' });
  expect(first.username).toBe('ada');
  expect((await api.as(first.as)('/auth/me')).body).toMatchObject({ username: 'ada', display_name: 'Ada' });
  const again = await signedIn('subject-1', { preferred_username: 'renamed' });
  expect(again.user_id).toBe(first.user_id);
  const other = await signedIn('subject-2', { preferred_username: 'ada' });
  expect(other.user_id).not.toBe(first.user_id);
  expect(other.username).toMatch(/^ada-[0-9a-f]{8}$/);
});

test('a browser gets the token as a cookie and goes to the client', async () => {
  provider.state.who = 'subject-3';
  provider.state.forgery = null;
  const begun = await api.call('/auth/oidc/login');
  const back = await provider.browse(String(begun.headers['location']));
  const answer = await api.call(`/auth/oidc/callback${back.search}&unknown=kept`, {
    headers: { cookie: cookieIn(begun) },
  });
  expect(answer.status).toBe(302);
  expect(answer.headers['location']).toBe(api.settings.CLIENT_URL);
  expect(String(answer.headers['set-cookie'])).toMatch(/access_token=[^;]+; Path=\/;/);
});

test('a browser that comes back to our own console gets a session that no script can read', async () => {
  const { host } = new URL(api.settings.CLIENT_URL);
  provider.state.who = 'subject-3';
  const begun = await api.call('/auth/oidc/login');
  expect(String(begun.headers['set-cookie'])).toContain('Max-Age=300');
  const back = await provider.browse(String(begun.headers['location']));
  const answer = await api.call(`/auth/oidc/callback${back.search}`, {
    headers: { cookie: cookieIn(begun), host },
  });
  const cookies = String(answer.headers['set-cookie']);
  expect(cookies).toMatch(/calibron_console=[^;]+; Path=\/console\/api; HttpOnly; SameSite=Strict/);
  expect(cookies).not.toContain('access_token');
});

test('an answer counts once, in the browser that began the sign-in', async () => {
  const { answer, back, headers } = await signIn('subject-4');
  expect(answer.status).toBe(200);
  const call = (given: Record<string, string>) =>
    api.call(`/auth/oidc/callback${back.search}`, { headers: given });
  expectError(await call(headers), 401, 'sign_in_refused');
  expectError(await call({ accept: 'application/json' }), 401, 'sign_in_refused');
  expectError(await api.call('/auth/oidc/callback?error=access_denied'), 401, 'sign_in_refused');
});

test('groups give roles in projects, and take them again', async () => {
  const member = await signedIn('subject-5', { groups: ['operators'] });
  const chip = { method: 'POST', body: { chip_id: 'GROUP', size: 4 } } as const;
  expect((await api.as(member.as, project)('/chips', chip)).status).toBe(200);
  const former = await signedIn('subject-5', { groups: [] });
  expectError(await api.as(former.as, project)('/chips'), 403, 'forbidden');
});

test.each<[string, Forgery]>([
  ['audience', { claims: { aud: 'another client' } }],
  ['nonce', { claims: { nonce: 'another sign-in' } }],
  ['issuer', { claims: { iss: 'https://another.example' } }],
  ['end', { claims: { exp: 1_000_000 } }],
])('an ID token with a wrong %s is refused', async (_what, forgery) => {
  expectError((await signIn('subject-6', {}, forgery)).answer, 401, 'sign_in_refused');
});

test('a rotated key counts at once, and the former one no longer', async () => {
  const former = await provider.rotate();
  expect((await signIn('subject-7')).answer.status).toBe(200);
  expect((await signIn('subject-7', {}, {})).answer.status).toBe(200);
  expectError((await signIn('subject-7', {}, { key: former })).answer, 401, 'sign_in_refused');
  const unknown = await provider.newKey('unknown');
  expectError((await signIn('subject-7', {}, { key: unknown })).answer, 401, 'sign_in_refused');
});

const send = (logout_token: string) =>
  api.call('/auth/oidc/backchannel-logout', {
    method: 'POST',
    text: new URLSearchParams({ logout_token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

test('sessions end when the provider says so, and only then', async () => {
  const one = await signedIn('subject-8');
  const other = await signedIn('subject-9');
  for (const wrong of [{ aud: 'another' }, { iat: 1_000_000 }, { events: {} }, { nonce: 'an ID token' }]) {
    expectError(await send(await provider.logoutToken({ sub: 'subject-8', ...wrong })), 400, 'bad_request');
  }
  expect((await api.as(one.as)('/auth/me')).status).toBe(200);
  expect((await send(await provider.logoutToken({ sub: 'subject-8' }))).status).toBe(200);
  expectError(await api.as(one.as)('/auth/me'), 401, 'not_authenticated');
  expect((await api.as(other.as)('/auth/me')).status).toBe(200);
});

test('a logout token that names only a session ends that session, and no other of the same person', async () => {
  const session = (sid: string) => signedIn('subject-12', {}, { claims: { sid } });
  const [first, second] = [await session('session-1'), await session('session-2')];
  expectError(await send(await provider.logoutToken({})), 400, 'bad_request');
  expect((await send(await provider.logoutToken({ sid: 'session-unknown' }))).status).toBe(200);
  const wrongPerson = await provider.logoutToken({ sub: 'subject-13', sid: 'session-1' });
  expect((await send(wrongPerson)).status).toBe(200);
  expect((await api.as(first.as)('/auth/me')).status).toBe(200);
  expect((await send(await provider.logoutToken({ sid: 'session-1' }))).status).toBe(200);
  expectError(await api.as(first.as)('/auth/me'), 401, 'not_authenticated');
  expect((await api.as(second.as)('/auth/me')).status).toBe(200);
});

test('a sign-out revokes the token and names the page of the provider', async () => {
  const { as } = await signedIn('subject-10');
  const out = await api.as(as)('/auth/oidc/logout', { method: 'POST' });
  expect(out.body).toMatchObject({ logout_url: expect.stringContaining(`${provider.issuer}/session/end`) });
  expect((await api.as(as)('/auth/me')).status).toBe(401);
});

test('only the emergency administrator signs in with a password', async () => {
  const offered = read(signInProviders, await api.call('/auth/providers'));
  expect(offered).toMatchObject({ password: 'emergency', providers: [{ provider_id: 'oidc' }] });
  expect((await api.as(owner)('/auth/me')).status).toBe(200);
  await expect(api.makePerson()).rejects.toThrow();
});

test('an account of the provider gets no password', async () => {
  const { username } = await signedIn('subject-11');
  await api.users.updateOne({ _id: userNamed(owner.id) }, { $set: { system_role: 'admin' } });
  const reset = await api.as(owner)('/auth/reset-password', { method: 'POST', body: { username } });
  expectError(reset, 409, 'conflict');
});

test('a provider that is down is 503, and there is none where the settings name none', async () => {
  const down = await startProvider();
  const other = await startApi({
    environment: { ...environmentFor(down.issuer), OIDC_CREATE_USERS: 'false' },
  });
  await down.close();
  const answer = await other.call('/auth/oidc/login');
  expectError(answer, 503, 'identity_provider_unavailable');
  expect(answer.headers['retry-after']).toBe('10');
  await other.close();
  const without = await startApi();
  expectError(await without.call('/auth/oidc/login'), 404, 'not_found');
  await without.close();
});
