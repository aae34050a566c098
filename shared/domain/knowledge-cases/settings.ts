import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of knowledge cases. */
export const knowledgeCaseSettings = {
  KNOWLEDGE_CASES_PER_PROJECT: count.default(5000).describe('Knowledge cases that a project may have.'),
};
export type KnowledgeCaseSettings = SettingsOf<typeof knowledgeCaseSettings>;
