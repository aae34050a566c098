import { z } from 'zod';
import { projectHeaders } from '../routes/answers.ts';
import type { Identity } from './identity.ts';

/** What every group of routes of the earlier interface is given beside its areas. */
export interface EarlierOptions {
  identity: Identity;
}

/** Headers of requests of the earlier interface. */
export const userHeaders = z.looseObject({
  'x-username': z.string().optional().describe('Name of the user who asks.'),
});

/** Headers of those inside a project; older clients name none and mean the user's default project. */
export const userProjectHeaders = projectHeaders.extend(userHeaders.shape);
