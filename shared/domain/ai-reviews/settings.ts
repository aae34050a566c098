import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of reviews. */
export const aiReviewSettings = {
  AI_REVIEW_RUNS_PER_PROJECT: count.default(20_000).describe('Runs of reviews that a project may have.'),
};
export type AiReviewSettings = SettingsOf<typeof aiReviewSettings>;
