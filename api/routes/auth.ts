import { parse } from 'node:querystring';
import formbody from '@fastify/formbody';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { loginForm, tokenResponse, user } from '../../shared/accounts/model.ts';
import { wireUser } from '../../shared/accounts/rules.ts';
import { errorBody } from '../../shared/wire.ts';
import { callerOf } from '../plugins/authentication.ts';
import type { Services } from '../services.ts';
import { bearer, bodyAnswers, publicAnswers, tokenAnswers } from './answers.ts';

export const authRoutes: FastifyPluginAsyncZod<Pick<Services, 'signIn'>> = async (app, { signIn }) => {
  await app.register(loginRoute, { signIn });

  app.route({
    method: 'GET',
    url: '/auth/me',
    onRequest: app.signedIn,
    config: { allowTemporaryPassword: true },
    schema: {
      operationId: 'get_me',
      summary: 'The user behind the token',
      tags: ['accounts'],
      security: bearer,
      response: { 200: user, ...tokenAnswers },
    },
    handler: async (request) => wireUser(callerOf(request).user),
  });
};

/** Apart from the other routes, because it alone takes a form. */
const loginRoute: FastifyPluginAsyncZod<Pick<Services, 'signIn'>> = async (app, { signIn }) => {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { parser: withoutEmptyValues });

  app.route({
    method: 'POST',
    url: '/auth/login',
    schema: {
      operationId: 'login',
      summary: 'Exchange username and password for an access token',
      tags: ['accounts'],
      consumes: ['application/x-www-form-urlencoded'],
      body: loginForm,
      response: { 200: tokenResponse, 401: errorBody, 429: errorBody, ...bodyAnswers, ...publicAnswers },
    },
    handler: (request) => signIn.login(request.body, request.ip),
  });
};

/** A form's fields; an empty one counts as missing. */
function withoutEmptyValues(text: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parse(text)).filter(([, value]) => value !== ''));
}
