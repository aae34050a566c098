import { parse } from 'node:querystring';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  loginForm,
  passwordChange,
  profileChange,
  tokenResponse,
  user,
} from '../../../shared/domain/accounts/model.ts';
import { userOf } from '../../../shared/domain/accounts/wire.ts';
import {
  passwordReset,
  passwordResetAnswer,
  registeredUser,
  registration,
} from '../../../shared/domain/administration/model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { countedAddress } from '../../plugins/addresses.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { bearer, bodyAnswers, publicAnswers, tokenAnswers } from '../answers.ts';
import { passkeyRoutes } from './passkeys.ts';
import { secondFactorRoutes } from './second-factor.ts';

const common = { tags: ['accounts'] };
const own = { ...common, security: bearer };

/** Of a form with a username and a password. */
const FORM_LIMITS = { fields: 10, fieldSize: 10_000, files: 1, fileSize: 10_000, parts: 10 };

export const authRoutes: FastifyPluginAsyncZod<Pick<Areas, 'accounts' | 'administration'>> = async (
  app,
  areas,
) => {
  const { accounts, administration } = areas;
  const { ownAccount } = accounts;
  await app.register(loginRoute, areas);
  await app.register(secondFactorRoutes, areas);
  await app.register(passkeyRoutes, areas);

  app.route({
    method: 'POST',
    url: '/auth/logout',
    config: { audit: 'signed_out', endsAccess: true },
    schema: {
      ...common,
      operationId: 'logout',
      summary: 'Revoke the token of this request',
      response: { 200: messageBody, ...publicAnswers, ...bodyAnswers },
    },
    handler: (request) => signOut(accounts, request),
  });

  app.route({
    method: 'GET',
    url: '/auth/me',
    onRequest: app.signedIn,
    config: { allowTemporaryPassword: true },
    schema: {
      ...own,
      operationId: 'get_me',
      summary: 'The user behind the token',
      response: { 200: user, ...tokenAnswers },
    },
    handler: async (request) => userOf(callerOf(request).user),
  });

  app.route({
    method: 'PATCH',
    url: '/auth/me',
    onRequest: app.signedIn,
    config: { audit: 'profile_changed', allowTemporaryPassword: true },
    schema: {
      ...own,
      operationId: 'update_me',
      summary: 'Change your own profile',
      body: profileChange,
      response: { 200: user, ...tokenAnswers, ...bodyAnswers, 404: errorBody },
    },
    handler: (request) => ownAccount.change(callerOf(request).user._id, request.body),
  });

  app.route({
    method: 'POST',
    url: '/auth/change-password',
    onRequest: app.signedIn,
    config: { audit: 'password_changed', allowTemporaryPassword: true, endsAccess: true },
    schema: {
      ...own,
      operationId: 'change_password',
      summary: 'Replace your own password; all your other tokens are revoked',
      body: passwordChange,
      response: { 200: messageBody, ...tokenAnswers, ...bodyAnswers, 400: errorBody },
    },
    handler: async (request) => {
      await ownAccount.changePassword(callerOf(request), request.body, countedAddress(request));
      return { message: 'The password was changed.' };
    },
  });

  app.route({
    method: 'POST',
    url: '/auth/register',
    onRequest: app.administrator,
    config: { audit: { action: 'user_created', target: 'username', details: ['system_role'] } },
    schema: {
      ...own,
      operationId: 'register_user',
      summary: 'Create an account; a generated password appears only in the answer',
      body: registration,
      response: { 200: registeredUser, ...tokenAnswers, ...bodyAnswers, 400: errorBody },
    },
    handler: (request) => administration.register(request.body),
  });

  app.route({
    method: 'POST',
    url: '/auth/reset-password',
    onRequest: app.administrator,
    config: { audit: { action: 'password_reset', target: 'username' }, endsAccess: true },
    schema: {
      ...own,
      operationId: 'reset_password',
      summary: "Give a user a temporary password; the user's tokens are revoked",
      body: passwordReset,
      response: {
        200: passwordResetAnswer,
        ...tokenAnswers,
        ...bodyAnswers,
        404: errorBody,
        409: errorBody,
      },
    },
    handler: (request) => administration.resetPassword(request.body),
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
      summary: 'Exchange username and password for an access token',
      consumes: ['application/x-www-form-urlencoded'],
      body: loginForm,
      response: { 200: tokenResponse, 401: errorBody, ...bodyAnswers, ...publicAnswers },
    },
    handler: (request) => accounts.signIn.login(request.body, countedAddress(request)),
  });
};

/** Revokes the token of a request, and reports whether there was one. */
export async function signOut(
  { ownAccount }: Pick<Areas['accounts'], 'ownAccount'>,
  { token }: Pick<FastifyRequest, 'token'>,
): Promise<{ message: string }> {
  if (!token) return { message: 'No valid token was presented; nothing was revoked.' };
  if (token.program) {
    return {
      message: 'A token for programs is revoked with DELETE /auth/tokens/{token_id}; nothing was revoked.',
    };
  }
  await ownAccount.logout(token);
  return { message: 'The token was revoked.' };
}

/** Accepts only forms, which browsers and `FormData` send in either encoding. Empty fields count as missing. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { parser: parse });
  await app.register(multipart, { attachFieldsToBody: 'keyValues', limits: FORM_LIMITS });
  app.addHook('preValidation', async (request) => {
    request.body = Object.fromEntries(Object.entries(request.body ?? {}).filter(([, value]) => value !== ''));
  });
}
