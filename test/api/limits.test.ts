import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type Call, expectError, type Person, startApi } from './harness.ts';

let api: Api;
let person: Person;

beforeAll(async () => {
  api = await startApi({
    environment: {
      RATE_LIMIT_TOKEN: '20',
      RATE_LIMIT_ADDRESS: '5',
      API_CORS_ORIGINS: 'https://lab.example, http://localhost:3000/',
      TRUSTED_PROXIES: '10.9.9.9',
    },
  });
  person = await api.makePerson();
});
afterAll(() => api.close());

/** How many of so many calls are let through. */
async function passing(calls: number, call: () => ReturnType<Api['call']>): Promise<number> {
  let passed = 0;
  for (let made = 0; made < calls; made += 1) {
    const answer = await call();
    if (answer.status !== 429) passed += 1;
    else expectError(answer, 429, 'too_many_requests');
  }
  return passed;
}

describe('the limit of requests', () => {
  test('counts each token for itself, wherever it comes from', async () => {
    const other = await api.makePerson();
    let address = 0;
    const ask = (by: Person) => () => {
      address += 1;
      return api.as(by)('/auth/me', { from: `10.2.0.${address}` });
    };
    expect(await passing(25, ask(person))).toBe(20);
    expect(await passing(5, ask(other))).toBe(5);
  });

  test('says when to ask again', async () => {
    const ask = () => api.call('/openapi.json', { from: '10.2.1.1' });
    expect(await passing(6, ask)).toBe(5);
    const wait = Number((await ask()).headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
  });

  test('counts requests without a token, with a made-up one or to nowhere by their address', async () => {
    const from = '10.2.1.2';
    const calls: [string, Call][] = [
      ['/auth/me', {}],
      ['/auth/me', { headers: { authorization: 'Bearer a.b.c' } }],
      ['/auth/me', { headers: { authorization: 'Bearer d.e.f' } }],
      ['/no/such/address', {}],
      ['/projects', { method: 'POST', body: {} }],
    ];
    for (const [url, given] of calls) expect((await api.call(url, { ...given, from })).status).not.toBe(429);
    expectError(await api.call('/auth/me', { from }), 429, 'too_many_requests');
    expect((await api.call('/auth/me', { from: '10.2.1.3' })).status).toBe(401);
  });

  test('takes the neighbours of an IPv6 address for one, and believes only known proxies', async () => {
    let host = 0;
    const neighbours = () => {
      host += 1;
      return api.call('/auth/me', { from: `2001:db8:1:2::${host}` });
    };
    expect(await passing(8, neighbours)).toBe(5);
    let client = 0;
    const behind = (proxy: string) => () => {
      client += 1;
      return api.call('/auth/me', { from: proxy, headers: { 'x-forwarded-for': `10.3.0.${client}` } });
    };
    expect(await passing(8, behind('10.9.9.9'))).toBe(8);
    expect(await passing(8, behind('10.9.9.8'))).toBe(5);
  });

  test('lets figures and monitoring pass', async () => {
    const from = '10.2.1.4';
    for (const url of ['/healthz', '/readyz', '/executions/figure?path=x.png']) {
      expect(await passing(12, () => api.call(url, { from }))).toBe(12);
    }
  });

  test('counts monitoring apart from all else of the same address', async () => {
    const from = '10.2.1.5';
    expect(await passing(8, () => api.call('/auth/me', { from }))).toBe(5);
    expect(await passing(15, () => api.call('/readyz', { from }))).toBe(15);
    expect(await passing(10, () => api.call('/metrics-prometheus', { from }))).toBe(5);
    expect(await passing(3, () => api.call('/readyz', { from }))).toBe(0);
    expect(await passing(3, () => api.call('/readyz', { from: '10.2.1.6' }))).toBe(3);
    expect(await passing(30, () => api.call('/healthz', { from }))).toBe(30);
  });
});

describe('a page in a browser', () => {
  const preflight = (origin: string) =>
    api.call('/projects', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,x-project-id',
      },
      from: '10.2.2.1',
    });

  test('may call from the origins of the setting', async () => {
    for (const origin of ['https://lab.example', 'http://localhost:3000']) {
      const answer = await preflight(origin);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'authorization,x-project-id',
      });
      expect(answer.headers['access-control-allow-methods']).toContain('PATCH');
      const refused = await api.call('/projects', { headers: { origin }, from: '10.2.2.2' });
      expectError(refused, 401, 'not_authenticated');
      expect(refused.headers['access-control-allow-origin']).toBe(origin);
      expect(refused.headers['access-control-expose-headers']).toContain('x-request-id');
    }
  });

  test('may not from elsewhere', async () => {
    for (const origin of ['https://lab.example.evil', 'http://lab.example', 'null']) {
      expect((await preflight(origin)).headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test('may by default from where the web client is', async () => {
    const standard = await startApi({ environment: { CLIENT_URL: 'https://client.example:8443/app' } });
    const origin = 'https://client.example:8443';
    const answer = await standard.call('/healthz', { headers: { origin } });
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    await standard.close();
  });
});
