import type { FastifyRequest } from 'fastify';
import type { RunOrder } from '../../../shared/domain/runs/index.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';

/** The user, the project and the idempotency key of a request to start a run. */
export function runOrderOf(
  request: Pick<FastifyRequest, 'caller' | 'projectScope'> & {
    headers: { 'idempotency-key'?: string | undefined };
  },
): RunOrder {
  return {
    projectId: projectIdOf(request),
    user: callerOf(request).user,
    idempotencyKey: request.headers['idempotency-key'],
  };
}
