import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Accounts } from '../../shared/domain/accounts/index.ts';
import type { Permission } from '../../shared/domain/projects/model.ts';
import type { Settings } from '../../shared/kernel/config.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { callerOf } from '../plugins/authentication.ts';

/** Whom clients mean that name nobody, where nobody had to be named; an account like any other, if there is one. */
const UNNAMED_USER = 'default';

/** What to do about a request that names nobody, where a username alone is trusted. */
export type Unnamed = 'refused' | 'default user';

/** Who asks on the earlier interface, as hooks of its routes. */
export interface Identity {
  /** OpenAPI security of what asks for a user. */
  security: Record<string, string[]>[];
  /** Asks for a user. */
  user(unnamed?: Unnamed): onRequestAsyncHookHandler[];
  /** Asks for the token of a system administrator, whatever else is trusted: accounts are those of both interfaces. */
  administrator(): onRequestAsyncHookHandler[];
  /** Asks for a permission in the request's project. */
  inProject(permission: Permission, unnamed?: Unnamed): onRequestAsyncHookHandler[];
}

/**
 * Who makes a request of the earlier interface: the user of its access token, whom `X-Username` may name as well; or,
 * where the setting says so, the user whom that header names, without a token.
 */
export function createIdentity(
  app: FastifyInstance,
  users: Pick<Accounts['users'], 'findByUsername'>,
  trusted: Settings['LEGACY_AUTH'],
): Identity {
  async function nameBelongsToToken(request: FastifyRequest) {
    const name = usernameOf(request);
    if (name === undefined || name === callerOf(request).user.username) return;
    throw new CalibronError(
      'forbidden',
      'X-Username names another user than the access token. Send the username that the token was given to.',
    );
  }

  const byToken = [app.signedIn, nameBelongsToToken];

  async function byName(request: FastifyRequest, reply: FastifyReply, unnamed: Unnamed) {
    const name = usernameOf(request) ?? (unnamed === 'default user' ? UNNAMED_USER : undefined);
    const user = name === undefined ? null : await users.findByUsername(name);
    if (!user) {
      void reply.header('www-authenticate', 'ApiKey');
      throw new CalibronError('not_authenticated', 'Send the header X-Username with the name of a user.');
    }
    if (user.disabled) throw new CalibronError('account_disabled', 'This account is disabled.');
    request.caller = { user, token: null };
  }

  function user(unnamed: Unnamed = 'refused'): onRequestAsyncHookHandler[] {
    if (trusted === 'token') return byToken;
    return [
      async function (request, reply) {
        // A token that is presented is always checked.
        if (request.headers.authorization === undefined) return byName(request, reply, unnamed);
        for (const hook of byToken) await hook.call(this, request, reply);
      },
    ];
  }

  return {
    security: trusted === 'token' ? [{ bearer: [] }, { username: [], bearer: [] }] : [{ username: [] }],
    user,
    administrator: () => [...byToken, app.isAdministrator],
    inProject: (permission, unnamed) => [...user(unnamed), app.entersProject(permission)],
  };
}

function usernameOf({ headers }: FastifyRequest): string | undefined {
  return headers['x-username']?.toString() || undefined;
}
