import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AccountError } from '../../shared/domain/accounts/errors.ts';
import type { SignIn } from '../../shared/domain/accounts/index.ts';
import type { Actor, Caller, TokenClaims } from '../../shared/domain/accounts/model.ts';
import { assertScope, assertScopeOfRoute, mayAdminister } from './token-scopes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of the request, if we issued it and it has not expired. Its user may have been deleted. */
    token: TokenClaims | null;
    caller: Caller | null;
  }
  interface FastifyInstance {
    /** Requires a valid access token. Runs before the body is read. */
    signedIn: onRequestAsyncHookHandler;
    /** Requires the token of a system administrator. Runs before the body is read. */
    administrator: onRequestAsyncHookHandler[];
    /** Requires the caller to be a system administrator. Runs after the caller is authenticated. */
    isAdministrator: onRequestAsyncHookHandler;
    /** Whether the caller has all rights of a system administrator, with a second factor if the setting requires one. */
    actsAsAdministrator(request: Pick<FastifyRequest, 'caller'>): boolean;
    /** Makes the access token optional. Rejects an invalid one. */
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
  /** Whether administrators need a second factor for administrator routes. */
  adminSecondFactor: boolean;
}

/** Identifies the caller of a request by `Authorization: Bearer <token>`. */
export const authentication = fastifyPlugin(
  async (app: FastifyInstance, options: AuthenticationOptions) => {
    const { signIn, enforcePasswordChange, adminSecondFactor } = options;
    app.decorateRequest('token', null);
    app.decorateRequest('caller', null);
    app.addHook('onRequest', async (request) => {
      request.token = await signIn.readToken(request.headers.authorization);
    });
    /** Every request with a token passes here, so that no token for programs does what it may not. */
    const open = async (request: FastifyRequest) => {
      const caller = await signIn.open(request.headers.authorization, request.token);
      assertScopeOfRoute(request, caller);
      return caller;
    };
    app.decorate('signedIn', async (request: FastifyRequest) => {
      const caller = await open(request);
      const exempt = request.routeOptions.config.allowTemporaryPassword ?? false;
      if (enforcePasswordChange && caller.user.must_change_password && !exempt) {
        throw new AccountError('password_change_required', 'Change your temporary password first.');
      }
      request.caller = caller;
    });
    app.decorate('tokenIfPresent', async (request: FastifyRequest) => {
      if (request.headers.authorization !== undefined) request.caller = await open(request);
    });
    // The identity provider asks its users for a second factor itself.
    const hasNeededFactor = ({ second_factor, identity }: Caller['user']) =>
      !adminSecondFactor || Boolean(second_factor) || Boolean(identity);
    const requireAdministrator = async (request: FastifyRequest) => {
      assertScope(callerOf(request), 'administer');
      const { user } = callerOf(request);
      if (user.system_role !== 'admin') {
        throw new AccountError('admin_required', 'Only a system administrator may do this.');
      }
      if (!hasNeededFactor(user)) {
        throw new AccountError(
          'admin_required',
          'Administrators need a second factor here; set one up with POST /auth/second-factor.',
        );
      }
    };
    app.decorate('actsAsAdministrator', (request: Pick<FastifyRequest, 'caller'>) => {
      const caller = callerOf(request);
      return caller.user.system_role === 'admin' && hasNeededFactor(caller.user) && mayAdminister(caller);
    });
    app.decorate('isAdministrator', requireAdministrator);
    app.decorate('administrator', [app.signedIn, requireAdministrator]);
  },
  { name: 'authentication' },
);

/** The caller of a route that requires a token. */
export function callerOf(request: Pick<FastifyRequest, 'caller'>): Caller {
  if (!request.caller) throw new Error('this route does not ask for a token');
  return request.caller;
}

/** The caller, in the form in which changes record their author. */
export function actorOf(request: Pick<FastifyRequest, 'caller'>): Actor {
  const { user } = callerOf(request);
  return { user_id: user._id, username: user.username };
}
