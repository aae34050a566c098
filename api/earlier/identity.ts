import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { AccountError } from '../../shared/domain/accounts/errors.ts';
import type { Accounts } from '../../shared/domain/accounts/index.ts';
import type { Permission } from '../../shared/domain/projects/model.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { callerOf } from '../plugins/authentication.ts';

/** The user of requests without a username, on routes where it was optional. An ordinary account, which need not exist. */
const UNNAMED_USER = 'default';

/** How to treat a request without a username, if a username alone is trusted. */
export type Unnamed = 'refused' | 'default user';

/** Authentication hooks of the earlier interface. */
export interface Identity {
  /** OpenAPI security of routes that require a user. */
  security: Record<string, string[]>[];
  /** Requires a user. */
  user(unnamed?: Unnamed): onRequestAsyncHookHandler[];
  /** Always requires the token of a system administrator, because both interfaces share the same accounts. */
  administrator(): onRequestAsyncHookHandler[];
  /** Requires a permission in the request's project. */
  inProject(permission: Permission, unnamed?: Unnamed): onRequestAsyncHookHandler[];
}

/**
 * Identifies the caller on the earlier interface by the access token. If `X-Username` is sent too, it must name the same
 * user. If the setting allows it, `X-Username` alone identifies the caller, without a token.
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
      'X-Username names a different user than the access token. Send the username of the token.',
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
    if (user.disabled) throw new AccountError('account_disabled', 'This account is disabled.');
    request.caller = { user, token: null };
  }

  function user(unnamed: Unnamed = 'refused'): onRequestAsyncHookHandler[] {
    if (trusted === 'token') return byToken;
    return [
      async function (request, reply) {
        // A token that is sent is always checked.
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
