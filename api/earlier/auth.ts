import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { loginForm, newPassword, username } from '../../shared/domain/accounts/model.ts';
import type { Areas } from '../../shared/domain/areas.ts';
import { errorBody } from '../../shared/domain/errors.ts';
import { messageBody } from '../../shared/kernel/wire.ts';
import { countedAddress } from '../plugins/addresses.ts';
import { callerOf } from '../plugins/authentication.ts';
import { acceptForms, signOut } from '../routes/accounts/auth.ts';
import { bodyAnswers, publicAnswers, tokenAnswers } from '../routes/answers.ts';
import { type EarlierOptions, userHeaders } from './answers.ts';

const common = { tags: ['auth'] };

const account = z.object({ username: z.string(), full_name: z.string().nullable(), disabled: z.boolean() });

const newAccount = z.object({
  username,
  password: newPassword,
  full_name: z.string().max(100).nullable().default(null),
});

type Options = Pick<Areas, 'accounts' | 'administration'> & EarlierOptions;

/** Sign-in and the caller's own account. Only administrators create accounts, as in the current interface. */
export const authRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { accounts, administration, identity } = options;
  const { security } = identity;
  await app.register(loginRoute, options);

  app.route({
    method: 'POST',
    url: '/auth/register',
    onRequest: identity.administrator(),
    config: { audit: { action: 'user_created', target: 'username' } },
    schema: {
      ...common,
      security,
      operationId: 'register',
      summary: 'Create an account',
      headers: userHeaders,
      body: newAccount,
      response: { 200: account, ...tokenAnswers, ...bodyAnswers },
    },
    handler: async (request) => {
      const { username, password, full_name } = request.body;
      const made = await administration.register({
        username,
        password,
        display_name: full_name,
        organization: null,
        avatar_key: null,
        create_default_project: true,
      });
      return { username: made.username, full_name: made.display_name, disabled: made.disabled };
    },
  });

  app.route({
    method: 'GET',
    url: '/auth/me',
    onRequest: identity.user(),
    schema: {
      ...common,
      security,
      operationId: 'get_me',
      summary: 'Who asks',
      headers: userHeaders,
      response: { 200: account, ...tokenAnswers },
    },
    handler: async (request) => {
      const { user } = callerOf(request);
      return { username: user.username, full_name: user.display_name, disabled: user.disabled };
    },
  });

  app.route({
    method: 'POST',
    url: '/auth/logout',
    config: { audit: 'signed_out', endsAccess: true },
    schema: {
      ...common,
      operationId: 'logout',
      summary: 'Revoke the token of this request; where usernames alone are trusted there is none',
      response: { 200: messageBody, ...publicAnswers, ...bodyAnswers },
    },
    handler: (request) => signOut(accounts, request),
  });
};

/** Registered separately, because only this route accepts a form. */
const loginRoute: FastifyPluginAsyncZod<Pick<Areas, 'accounts'>> = async (app, { accounts }) => {
  await acceptForms(app);

  app.route({
    method: 'POST',
    url: '/auth/login',
    config: { audit: { action: 'signed_in', refused: 'sign_in_refused', by: 'username' } },
    schema: {
      ...common,
      operationId: 'login',
      summary: 'Check username and password, and get the access token of the user',
      consumes: ['application/x-www-form-urlencoded'],
      body: loginForm,
      response: {
        200: z.object({ username: z.string(), access_token: z.string(), token_type: z.string() }),
        401: errorBody,
        ...bodyAnswers,
        ...publicAnswers,
      },
    },
    handler: async (request) => {
      const { username, access_token, token_type } = await accounts.signIn.login(
        request.body,
        countedAddress(request),
      );
      return { username, access_token, token_type };
    },
  });
};
