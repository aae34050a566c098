import type { FastifyRequest } from 'fastify';
import type { SessionUser } from '../../../shared/domain/agent-sessions/session-rules.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { scopeOf } from '../../plugins/project-scope.ts';

/** The user who acts in an agent's session. */
export function sessionUserOf(request: Pick<FastifyRequest, 'caller' | 'projectScope'>): SessionUser {
  const { user } = callerOf(request);
  return { user_id: user._id, username: user.username, isOwner: scopeOf(request).role === 'owner' };
}
