import { z } from 'zod';
import { taskIdSchema, userIdSchema } from '../../kernel/ids.ts';
import { boolean, timestamp } from '../../kernel/wire.ts';

/** Whether metrics exclude a result, and the user who decided last. */
export const exclusion = z
  .object({
    task_id: taskIdSchema,
    excluded: z.boolean(),
    excluded_reason: z.string(),
    excluded_by_user_id: userIdSchema,
    excluded_by: z.string(),
    excluded_at: timestamp.nullable(),
  })
  .meta({ id: 'Exclusion' });
export type Exclusion = z.infer<typeof exclusion>;

/** Body of POST /task-results/{task_id}/exclude. */
export const excludeResult = z.object({
  excluded: boolean(),
  reason: z.string().max(2000).nullable().default(''),
});
export type ExcludeResult = z.infer<typeof excludeResult>;
