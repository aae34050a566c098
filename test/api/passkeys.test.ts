import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { tokenResponse } from '../../shared/domain/accounts/model.ts';
import { passkey, passkeyList } from '../../shared/domain/accounts/passkey-model.ts';
import { newSecondFactor } from '../../shared/domain/accounts/second-factor-model.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';

const ORIGIN = 'https://calibron.example.org';

let api: Api;

beforeAll(async () => {
  api = await startApi({ environment: { CLIENT_URL: `${ORIGIN}/app` } });
});
afterAll(() => api.close());

const post = (person: Person, url: string, body: unknown) => api.as(person)(url, { method: 'POST', body });
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const challengeOf = (answer: { body: unknown }) =>
  z.object({ challenge: z.string() }).parse(answer.body).challenge;

/** CBOR of a byte string of up to 65,535 bytes. */
function cborBytes(data: Buffer): Buffer {
  const head = Buffer.from([0x59, 0, 0]);
  head.writeUInt16BE(data.length, 1);
  return Buffer.concat([head, data]);
}

/** A device with one key, in software. */
function createAuthenticator(origin = ORIGIN, host = 'calibron.example.org') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let counter = 0;

  function authenticatorData(attested: Buffer): Buffer {
    counter += 1;
    const head = Buffer.alloc(5);
    // User present and verified; with attested data when a key is made.
    head.writeUInt8(0x05 | (attested.length > 0 ? 0x40 : 0), 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(host), head, attested]);
  }

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const common = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  };

  return {
    id: common.id,

    make(challenge: string) {
      const key = Buffer.concat([
        // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = authenticatorData(Buffer.concat([Buffer.alloc(16), length, id, key]));
      const attestationObject = Buffer.concat([
        // {"fmt": "none", "attStmt": {}, "authData": …}
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        cborBytes(data),
      ]);
      return {
        ...common,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      };
    },

    sign(challenge: string) {
      const json = clientData('webauthn.get', challenge);
      const data = authenticatorData(Buffer.alloc(0));
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(json)]))
        .sign(privateKey);
      return {
        ...common,
        response: {
          clientDataJSON: json.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

async function withSecondFactor(): Promise<Person> {
  const person = await api.makePerson();
  const { secret } = read(
    newSecondFactor,
    await post(person, '/auth/second-factor', { current_password: person.password }),
  );
  const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  expect((await post(person, '/auth/second-factor/confirm', { otp })).status).toBe(200);
  return person;
}

const begin = (person: Person) => post(person, '/auth/passkeys', { current_password: person.password });

async function withPasskey() {
  const person = await withSecondFactor();
  const device = createAuthenticator();
  const credential = device.make(challengeOf(await begin(person)));
  const confirmed = await post(person, '/auth/passkeys/confirm', { name: 'laptop', credential });
  expect(read(passkey, confirmed)).toMatchObject({ id: device.id, name: 'laptop', last_used_at: null });
  return { person, device };
}

const signInOptions = ({ username, password }: Person) =>
  api.call('/auth/passkeys/sign-in', { method: 'POST', body: { username, password } });

const login = ({ username, password }: Person, credential: unknown) =>
  api.call('/auth/login', {
    method: 'POST',
    text: new URLSearchParams({ username, password, passkey: JSON.stringify(credential) }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

test('a passkey replaces the code at sign-in, each answer once', async () => {
  const { person, device } = await withPasskey();
  const credential = device.sign(challengeOf(await signInOptions(person)));
  read(tokenResponse, await login(person, credential));
  expectError(await login(person, credential), 401, 'wrong_credentials');
  const { items } = read(passkeyList, await api.as(person)('/auth/passkeys'));
  expect(items).toMatchObject([{ id: device.id, last_used_at: expect.any(String) }]);
});

test('an answer of another device, site or challenge is refused', async () => {
  const { person, device } = await withPasskey();
  const foreign = createAuthenticator();
  const options = async () => challengeOf(await signInOptions(person));
  const answers = [
    foreign.sign(await options()),
    { ...foreign.sign(await options()), id: device.id, rawId: device.id },
    device.sign(randomBytes(32).toString('base64url')),
    'nonsense',
  ];
  for (const answer of answers) expectError(await login(person, answer), 401, 'wrong_credentials');
  read(tokenResponse, await login(person, device.sign(await options())));
});

test('the password comes before the options, and an account without passkeys has none', async () => {
  const plain = await api.makePerson();
  expectError(await signInOptions({ ...plain, password: 'another password' }), 401, 'wrong_credentials');
  expectError(await signInOptions(plain), 409, 'conflict');
});

test('a passkey needs a second factor and the own site, is added once, and goes with the factor', async () => {
  expectError(await begin(await api.makePerson()), 409, 'conflict');
  const { person, device } = await withPasskey();
  const add = async (credential: unknown) =>
    post(person, '/auth/passkeys/confirm', { name: 'again', credential });
  expectError(await add(device.make(challengeOf(await begin(person)))), 409, 'conflict');
  const elsewhere = createAuthenticator('https://evil.example.org');
  expectError(await add(elsewhere.make(challengeOf(await begin(person)))), 400, 'bad_request');
  expectError(await add(createAuthenticator().make('AAAA')), 400, 'bad_request');
  const removal = { current_password: person.password, id: device.id };
  expectError(
    await post(person, '/auth/passkeys/remove', { ...removal, current_password: 'wrong password' }),
    400,
    'wrong_current_password',
  );
  expect((await post(person, '/auth/passkeys/remove', removal)).status).toBe(200);
  expectError(await post(person, '/auth/passkeys/remove', removal), 404, 'not_found');
});

test('a reset of the second factor removes the passkeys', async () => {
  const { person } = await withPasskey();
  const administrator = await api.makePerson({ system_role: 'admin' });
  const { username } = person;
  expect((await post(administrator, '/auth/reset-second-factor', { username })).status).toBe(200);
  expect(read(passkeyList, await api.as(person)('/auth/passkeys')).items).toEqual([]);
  expectError(await signInOptions(person), 409, 'conflict');
});
