import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  passkey,
  passkeyConfirmation,
  passkeyList,
  passkeyOptions,
  passkeyRemoval,
  passkeySignIn,
} from '../../../shared/domain/accounts/passkey-model.ts';
import { secondFactorRequest } from '../../../shared/domain/accounts/second-factor-model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { countedAddress } from '../../plugins/addresses.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { bearer, bodyAnswers, publicAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['accounts'], security: bearer };
const changeAnswers = { ...tokenAnswers, ...bodyAnswers, 400: errorBody };

/** Passkeys of the caller, and the sign-in with them. */
export const passkeyRoutes: FastifyPluginAsyncZod<Pick<Areas, 'accounts'>> = async (
  app,
  { accounts: { passkeys } },
) => {
  app.route({
    method: 'GET',
    url: '/auth/passkeys',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_passkeys',
      summary: 'Your passkeys',
      response: { 200: passkeyList, ...tokenAnswers },
    },
    handler: async (request) => ({ items: passkeys.list(callerOf(request).user) }),
  });

  app.route({
    method: 'POST',
    url: '/auth/passkeys',
    onRequest: app.signedIn,
    config: { audit: 'passkey_requested' },
    schema: {
      ...common,
      operationId: 'create_passkey',
      summary: 'Get the options with which a browser creates a passkey; it is active once it is confirmed',
      body: secondFactorRequest,
      response: { 200: passkeyOptions, ...changeAnswers, 409: errorBody },
    },
    handler: (request) =>
      passkeys.begin(callerOf(request), request.body.current_password, countedAddress(request)),
  });

  app.route({
    method: 'POST',
    url: '/auth/passkeys/confirm',
    onRequest: app.signedIn,
    config: { audit: { action: 'passkey_added', target: 'name' } },
    schema: {
      ...common,
      operationId: 'confirm_passkey',
      summary: 'Confirm a passkey with the answer of the browser; from then on it replaces codes at sign-in',
      body: passkeyConfirmation,
      response: { 200: passkey, ...changeAnswers, 409: errorBody },
    },
    handler: (request) => passkeys.confirm(callerOf(request), request.body),
  });

  app.route({
    method: 'POST',
    url: '/auth/passkeys/remove',
    onRequest: app.signedIn,
    config: { audit: { action: 'passkey_removed', target: 'id' } },
    schema: {
      ...common,
      operationId: 'remove_passkey',
      summary: 'Remove one of your passkeys',
      body: passkeyRemoval,
      response: { 200: messageBody, ...changeAnswers, 404: errorBody },
    },
    handler: async (request) => {
      await passkeys.remove(callerOf(request), request.body, countedAddress(request));
      return { message: 'The passkey was removed.' };
    },
  });

  app.route({
    method: 'POST',
    url: '/auth/passkeys/sign-in',
    config: {
      audit: { action: 'passkey_sign_in_requested', refused: 'sign_in_refused', by: 'username' },
    },
    schema: {
      tags: ['accounts'],
      operationId: 'begin_passkey_sign_in',
      summary:
        'Get the options with which a browser signs in with a passkey; send its answer to POST /auth/login',
      body: passkeySignIn,
      response: { 200: passkeyOptions, 401: errorBody, 409: errorBody, ...bodyAnswers, ...publicAnswers },
    },
    handler: (request) => passkeys.signInOptions(request.body, countedAddress(request)),
  });
};
