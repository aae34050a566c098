import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Caller } from '../../shared/accounts/model.ts';
import type { SignIn } from '../../shared/accounts/sign-in.ts';
import { CalibronError } from '../../shared/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyInstance {
    /** Asks for a valid access token. Runs before the body is read. */
    signedIn: onRequestAsyncHookHandler;
    /** Refuses an access token that is not valid, and does without one. */
    tokenIfPresent: onRequestAsyncHookHandler;
  }
  interface FastifyContextConfig {
    /** Open to users who have not replaced their temporary password yet. */
    allowTemporaryPassword?: boolean;
  }
}

export interface AuthenticationOptions {
  signIn: SignIn;
  enforcePasswordChange: boolean;
}

/** Who makes a request: `Authorization: Bearer <token>`. */
export const authentication = fastifyPlugin(
  async (app: FastifyInstance, { signIn, enforcePasswordChange }: AuthenticationOptions) => {
    app.decorateRequest('caller', null);
    app.decorate('signedIn', async (request: FastifyRequest) => {
      const caller = await signIn.authenticate(request.headers.authorization);
      const exempt = request.routeOptions.config.allowTemporaryPassword ?? false;
      if (enforcePasswordChange && caller.user.must_change_password && !exempt) {
        throw new CalibronError('password_change_required', 'Change your temporary password first.');
      }
      request.caller = caller;
    });
    app.decorate('tokenIfPresent', async (request: FastifyRequest) => {
      const { authorization } = request.headers;
      if (authorization !== undefined) request.caller = await signIn.authenticate(authorization);
    });
  },
  { name: 'authentication' },
);

/** The caller of a route that asks for a token. */
export function callerOf(request: Pick<FastifyRequest, 'caller'>): Caller {
  if (!request.caller) throw new Error('this route does not ask for a token');
  return request.caller;
}
