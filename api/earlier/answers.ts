import { z } from 'zod';
import { projectHeaders } from '../routes/answers.ts';
import type { Identity } from './identity.ts';

/** Options of every route group of the earlier interface, in addition to its areas. */
export interface EarlierOptions {
  identity: Identity;
}

/** Headers of requests of the earlier interface. */
export const userHeaders = z.looseObject({
  'x-username': z.string().optional().describe('Name of the user who asks.'),
});

/** Headers of requests inside a project. Older clients send no project id, which selects the user's default project. */
export const userProjectHeaders = projectHeaders.extend(userHeaders.shape);
