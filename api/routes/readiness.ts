import { z } from 'zod';
import { stalledWork } from '../plugins/stalls.ts';

/** What the API can do now. */
export const readiness = z
  .object({
    status: z.enum(['ready', 'degraded', 'stopping', 'unavailable']),
    store: z.boolean().describe('Whether the database responds.'),
    engine: z.boolean().describe('Whether the workflow engine responds.'),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why nothing is served although both answer: they belong to different installations. While npm start downloads or builds Temporal: how far it is.',
      ),
    stalled: z
      .array(z.enum(stalledWork))
      .describe('What takes too long in this process; none unless it is degraded.'),
    shortage: z
      .string()
      .nullable()
      .describe('Which disk has no space left for new measurements; null unless it is degraded.'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readiness>;
