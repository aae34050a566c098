import type { FastifyRequest } from 'fastify';
import type { SessionUser } from '../../shared/domain/agent-sessions/session-rules.ts';
import { callerOf } from '../plugins/authentication.ts';
import { scopeOf } from '../plugins/project-scope.ts';

/** Who acts in a session of an agent. */
export function sessionUserOf(request: Pick<FastifyRequest, 'caller' | 'projectScope'>): SessionUser {
  const { user } = callerOf(request);
  return { user_id: user._id, username: user.username, isOwner: scopeOf(request).role === 'owner' };
}
