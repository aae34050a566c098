import type { FastifyRequest } from 'fastify';
import type { Areas } from '../../../shared/domain/areas.ts';
import { callerOf } from '../../plugins/authentication.ts';

/** Which tasks a caller may see. */
export function createTaskListing({ backends, projects }: Pick<Areas, 'backends' | 'projects'>) {
  /** The backends that the caller's projects may use. */
  async function listingFor(request: Pick<FastifyRequest, 'caller'>) {
    const { user, token } = callerOf(request);
    const mine = await projects.listFor(user._id, token?.program?.project_id ?? undefined);
    return backends.listing(mine.projects.map((each) => each.project_id));
  }

  return { listingFor };
}
