import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { username } from '../../../shared/domain/accounts/model.ts';
import {
  newSecondFactor,
  recoveryCodes,
  secondFactorConfirmation,
  secondFactorRemoval,
  secondFactorRequest,
  secondFactorStatus,
} from '../../../shared/domain/accounts/second-factor-model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { countedAddress } from '../../plugins/addresses.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['accounts'], security: bearer };
const changeAnswers = { ...tokenAnswers, ...bodyAnswers, 400: errorBody, 409: errorBody };

/** The second factor of the caller, and its reset by an administrator. */
export const secondFactorRoutes: FastifyPluginAsyncZod<Pick<Areas, 'accounts'>> = async (
  app,
  { accounts: { secondFactor } },
) => {
  app.route({
    method: 'GET',
    url: '/auth/second-factor',
    onRequest: app.signedIn,
    config: { allowTemporaryPassword: true },
    schema: {
      ...common,
      operationId: 'get_second_factor',
      summary: 'Whether you have a second factor',
      response: { 200: secondFactorStatus, ...tokenAnswers },
    },
    handler: async (request) => secondFactor.status(callerOf(request).user),
  });

  app.route({
    method: 'POST',
    url: '/auth/second-factor',
    onRequest: app.signedIn,
    config: { audit: 'second_factor_requested' },
    schema: {
      ...common,
      operationId: 'create_second_factor',
      summary:
        'Get the secret of a second factor for an authenticator app; it is active once it is confirmed',
      body: secondFactorRequest,
      response: { 200: newSecondFactor, ...changeAnswers },
    },
    handler: (request) =>
      secondFactor.begin(callerOf(request), request.body.current_password, countedAddress(request)),
  });

  app.route({
    method: 'POST',
    url: '/auth/second-factor/confirm',
    onRequest: app.signedIn,
    config: { audit: 'second_factor_added' },
    schema: {
      ...common,
      operationId: 'confirm_second_factor',
      summary: 'Confirm a second factor with a code; from then on a sign-in needs one',
      body: secondFactorConfirmation,
      response: { 200: recoveryCodes, ...changeAnswers },
    },
    handler: async (request) => ({
      recovery_codes: await secondFactor.confirm(callerOf(request), request.body.otp),
    }),
  });

  app.route({
    method: 'POST',
    url: '/auth/second-factor/remove',
    onRequest: app.signedIn,
    config: { audit: 'second_factor_removed' },
    schema: {
      ...common,
      operationId: 'remove_second_factor',
      summary: 'Remove your second factor',
      body: secondFactorRemoval,
      response: { 200: messageBody, ...changeAnswers },
    },
    handler: async (request) => {
      await secondFactor.remove(callerOf(request), request.body, countedAddress(request));
      return { message: 'The second factor was removed.' };
    },
  });

  app.route({
    method: 'POST',
    url: '/auth/reset-second-factor',
    onRequest: app.administrator,
    config: { audit: { action: 'second_factor_reset', target: 'username' } },
    schema: {
      ...common,
      operationId: 'reset_second_factor',
      summary: 'Remove the second factor of a user who has lost it',
      body: z.object({ username }),
      response: { 200: messageBody, ...tokenAnswers, ...bodyAnswers, 404: errorBody },
    },
    handler: async (request) => {
      await secondFactor.reset(request.body.username);
      return { message: 'The second factor was removed.' };
    },
  });
};
