import { z } from 'zod';
import type { ProjectId } from '../../kernel/ids.ts';
import { integer, timestamp } from '../../kernel/wire.ts';

/** Which files of a project are deleted. Without both limits, none are. */
export const retentionRule = z.object({
  max_age_days: integer({ min: 1, max: 36_500 })
    .nullable()
    .describe(
      'Figures and raw data of runs that ended more days ago are deleted; null: none are deleted for their age.',
    ),
  max_gib: z
    .number()
    .min(0)
    .max(1_000_000)
    .nullable()
    .describe(
      'While the files of the project have more GiB, those of its oldest runs are deleted; null: none are deleted for their size.',
    ),
});
export type RetentionRule = z.infer<typeof retentionRule>;

/** What a round deleted, or would delete. */
export const retentionOutcome = z
  .object({
    runs: z.number().int(),
    results: z
      .number()
      .int()
      .describe('Task results whose figures and raw data are deleted. The results themselves stay.'),
    files: z.number().int(),
    bytes: z.number().int(),
    oldest: timestamp.nullable().describe('Start of the oldest and of the newest of these runs.'),
    newest: timestamp.nullable(),
    kept: z
      .object({
        current_value: z.number().int(),
        note: z.number().int(),
        issue: z.number().int(),
        exclusion: z.number().int(),
        knowledge_case: z.number().int(),
      })
      .describe('Task results that the rule covers and that are kept, by what refers to them.'),
  })
  .meta({ id: 'RetentionOutcome' });
export type RetentionOutcome = z.infer<typeof retentionOutcome>;

export const retention = retentionRule
  .extend({
    max_age_days: z.number().int().nullable(),
    updated_by: z.string().nullable(),
    updated_at: timestamp.nullable(),
    last_round_at: timestamp
      .nullable()
      .describe('When files were last deleted by the rule. There is a round a day.'),
    last_outcome: retentionOutcome.nullable(),
  })
  .meta({ id: 'Retention' });
export type Retention = z.infer<typeof retention>;

/** A rule as stored; `_id` is the project id. */
export interface RetentionDocument extends RetentionRule {
  _id: string;
  project_id: ProjectId;
  updated_by: string;
  updated_at: Date;
  /** When the next round is due. */
  due_at: Date;
  last_round_at: Date | null;
  last_outcome: RetentionOutcome | null;
}
