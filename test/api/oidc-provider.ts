import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

/** A key of the provider, with which it signs. */
async function newKey(kid: string) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

type Key = Awaited<ReturnType<typeof newKey>>;

export const client = { id: 'calibron', secret: 'a secret of thirty-two characters' };
export const redirectUri = 'http://127.0.0.1:5715/auth/oidc/callback';

/** What an ID token of the provider says instead of the truth, and with which key it is signed. */
export interface Forgery {
  claims?: JWTPayload;
  key?: Key;
}

export type LocalProvider = Awaited<ReturnType<typeof startProvider>>;

/** A real identity provider on this machine. Every browser is signed in as `who`. */
export async function startProvider() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const state = {
    who: 'nobody',
    claims: new Map<string, Record<string, unknown>>(),
    key: await newKey('first'),
    forgery: null as Forgery | null,
    nonce: '',
  };
  let provider = serve();

  function serve(): Provider {
    return new Provider(issuer, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [state.key.jwk] },
      cookies: { keys: ['signs the cookies of a test'] },
      conformIdTokenClaims: false,
      claims: { openid: ['sub', 'groups'], profile: ['name', 'preferred_username'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: async () => ({ sub, ...state.claims.get(sub) }),
      }),
    });
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: state.who } });
      return;
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? state.who,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope('openid profile');
    const result = { consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }

  async function sign(claims: JWTPayload, key: Key): Promise<string> {
    return new SignJWT({ iss: issuer, aud: client.id, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid })
      .setIssuedAt(claims.iat)
      .sign(key.privateKey);
  }

  async function forge(response: ServerResponse, { claims, key = state.key }: Forgery): Promise<void> {
    const exp = Math.floor(Date.now() / 1000) + 600;
    const id_token = await sign({ sub: state.who, nonce: state.nonce, exp, ...claims }, key);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: 'any', token_type: 'bearer', expires_in: 600, id_token }));
  }

  server.on('request', (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    state.nonce = url.searchParams.get('nonce') ?? state.nonce;
    if (url.pathname.startsWith('/interaction/')) void interact(request, response);
    else if (url.pathname === '/token' && state.forgery) void forge(response, state.forgery);
    else void provider.callback()(request, response);
  });

  return {
    issuer,
    state,
    newKey,

    /** Replaces the key, as providers do from time to time. */
    async rotate(): Promise<Key> {
      const former = state.key;
      state.key = await newKey('second');
      provider = serve();
      return former;
    },

    /** Signs a logout token for the back channel. */
    logoutToken: (claims: JWTPayload, key = state.key) =>
      sign(
        { events: { 'http://schemas.openid.net/event/backchannel-logout': {} }, jti: 'one', ...claims },
        key,
      ),

    /** Follows a sign-in like a browser. @returns the address to which the provider sends it back */
    async browse(start: string): Promise<URL> {
      const cookies = new Map<string, string>();
      let url = new URL(start);
      for (let steps = 0; steps < 10; steps += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
        await answer.arrayBuffer();
        for (const given of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
          cookies.set(name, value);
        }
        const location = answer.headers.get('location');
        if (location === null) throw new Error(`the provider answered ${answer.status} without a redirect`);
        url = new URL(location, url);
        if (url.href.startsWith(redirectUri)) return url;
      }
      throw new Error('the provider redirects without end');
    },

    /** Stops answering. */
    async close(): Promise<void> {
      server.closeAllConnections();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
