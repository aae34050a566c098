import formbody from '@fastify/formbody';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tokenResponse } from '../../../shared/domain/accounts/model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  backChannelLogout,
  providerLogout,
  signInProviders,
} from '../../../shared/domain/identity-provider/model.ts';
import type { Settings } from '../../../shared/domain/settings.ts';
import { consolePathOf } from '../../../shared/kernel/console-settings.ts';
import { publicPathOf } from '../../../shared/kernel/public-url.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { cookieOf } from '../../plugins/cookies.ts';
import { bearer, bodyAnswers, publicAnswers, tokenAnswers } from '../answers.ts';
import { signOut } from './auth.ts';

const common = { tags: ['accounts'] };
const redirect = z.undefined().describe('A redirect for the browser.');
/** Keeps the state of a sign-in in the browser that began it. */
const STATE_COOKIE = 'calibron_sign_in';
/** Seconds that a person has to sign in at the provider. */
const STATE_LIFE = 300;

type Options = Pick<Areas, 'accounts' | 'identityProvider'> & {
  settings: Pick<Settings, 'CLIENT_URL' | 'CONSOLE' | 'PUBLIC_URL'>;
};

/** Sign-in with the lab's identity provider (OpenID Connect). */
export const identityProviderRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { accounts, identityProvider, settings } = options;
  await app.register(backChannelRoute, options);

  const setCookie = (reply: FastifyReply, name: string, value: string, rest: string) => {
    const secure = identityProvider.isSecure ? '; Secure' : '';
    void reply.header(
      'set-cookie',
      `${name}=${value}; Path=${publicPathOf(settings)}; SameSite=Lax${secure}; ${rest}`,
    );
  };

  app.route({
    method: 'GET',
    url: '/auth/providers',
    schema: {
      ...common,
      operationId: 'list_sign_in_providers',
      summary: 'The ways to sign in',
      response: { 200: signInProviders, ...publicAnswers },
    },
    handler: async () => identityProvider.providers(),
  });

  app.route({
    method: 'GET',
    url: '/auth/oidc/login',
    schema: {
      ...common,
      operationId: 'begin_oidc_login',
      summary: 'Send the browser to the identity provider',
      response: { 302: redirect, 404: errorBody, ...publicAnswers },
    },
    handler: async (_request, reply) => {
      const { url, state } = await identityProvider.signingIn().begin();
      setCookie(reply, STATE_COOKIE, state, `HttpOnly; Max-Age=${STATE_LIFE}`);
      return reply.header('cache-control', 'no-store').redirect(url, 302);
    },
  });

  app.route({
    method: 'GET',
    url: '/auth/oidc/callback',
    config: { audit: { action: 'signed_in', refused: 'sign_in_refused', target: 'username' } },
    schema: {
      ...common,
      operationId: 'finish_oidc_login',
      summary: 'The browser comes back from the identity provider with its answer',
      description:
        'Answers with the access token where JSON is requested (Accept); otherwise sets the cookie access_token, or the session of the console, and goes to the client.',
      response: {
        200: tokenResponse,
        302: redirect,
        401: errorBody,
        403: errorBody,
        404: errorBody,
        409: errorBody,
        ...publicAnswers,
      },
    },
    handler: async (request, reply) => {
      const query = new URL(request.url, 'http://localhost').searchParams;
      const answer = await identityProvider.signingIn().finish(query, cookieOf(request, STATE_COOKIE));
      request.caller = { user: (await accounts.users.find(answer.user_id)) ?? noAccount(), token: null };
      setCookie(reply, STATE_COOKIE, '', 'HttpOnly; Max-Age=0');
      void reply.header('cache-control', 'no-store');
      if (request.headers.accept?.includes('application/json')) return reply.send(answer);
      if (isOwnConsole(settings, request.host)) {
        await app.openConsoleSession(request, reply, answer.access_token);
      } else {
        setCookie(reply, 'access_token', answer.access_token, `Max-Age=${answer.expires_in}`);
      }
      return reply.redirect(settings.CLIENT_URL, 302);
    },
  });

  app.route({
    method: 'POST',
    url: '/auth/oidc/logout',
    onRequest: app.signedIn,
    config: { audit: 'signed_out', endsAccess: true, allowTemporaryPassword: true },
    schema: {
      ...common,
      security: bearer,
      operationId: 'oidc_logout',
      summary:
        'Revoke the token of this request; the answer names where to sign out of the identity provider',
      response: { 200: providerLogout, ...tokenAnswers, ...bodyAnswers },
    },
    handler: async (request) => ({
      ...(await signOut(accounts, request)),
      logout_url: await identityProvider.logoutUrl(),
    }),
  });
};

/** Registered separately, because only this route accepts a form. */
const backChannelRoute: FastifyPluginAsyncZod<Pick<Areas, 'identityProvider'>> = async (
  app,
  { identityProvider },
) => {
  app.removeAllContentTypeParsers();
  await app.register(formbody);

  app.route({
    method: 'POST',
    url: '/auth/oidc/backchannel-logout',
    config: { audit: null, endsAccess: true },
    schema: {
      ...common,
      operationId: 'oidc_backchannel_logout',
      summary: 'The identity provider ends sessions of a user',
      consumes: ['application/x-www-form-urlencoded'],
      body: backChannelLogout,
      response: { 200: messageBody, ...publicAnswers, ...bodyAnswers, 404: errorBody },
    },
    handler: async (request, reply) => {
      await identityProvider.signingIn().endByProvider(request.body.logout_token);
      return reply.header('cache-control', 'no-store').send({ message: 'The sessions were ended.' });
    },
  });
};

/** Whether the client is the console of this API, which keeps its token where no script can read it. */
function isOwnConsole({ CONSOLE, CLIENT_URL, PUBLIC_URL }: Options['settings'], host: string): boolean {
  if (CONSOLE === 'off') return false;
  const own = PUBLIC_URL === undefined ? host : new URL(PUBLIC_URL).host;
  const { host: clientHost, pathname } = new URL(CLIENT_URL);
  return clientHost === own && pathname === consolePathOf({ PUBLIC_URL });
}

function noAccount(): never {
  throw new Error('the account that has just signed in is gone');
}
