import { z } from 'zod';
import type { SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings for pages about tasks: where lessons from projects and their pictures come from. */
export const taskKnowledgeSettings = {
  KNOWLEDGE_EXPORT: z
    .enum(['off', 'folder', 'branch'])
    .default('off')
    .describe(
      'Approved knowledge cases as pages: among the files of the configuration (folder), or pushed to its repository as branches to merge (branch). All projects see such pages.',
    ),
  TASK_PICTURES: z
    .enum(['prepared', 'on_request'])
    .default('prepared')
    .describe(
      'The pictures of the shipped pages about tasks: made by `npm run expected-figures` (prepared), or drawn on the first request for a page (on_request), as `npm start` does.',
    ),
};
export type TaskKnowledgeSettings = SettingsOf<typeof taskKnowledgeSettings>;
