import { defineArea, type Kernel } from '../../kernel/area.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { NewCase } from './model.ts';
import { createKnowledgeCaseStore, knowledgeCaseIndexes } from './store.ts';

export { CASES_OF_TASK } from './store.ts';

export type KnowledgeCases = ReturnType<typeof knowledgeCases.create>;

/** What issues taught about tasks: drafts, and what somebody approved or rejected. */
export const knowledgeCases = defineArea({
  name: 'knowledgeCases',
  indexes: [knowledgeCaseIndexes],
  create({ db, settings }: Kernel) {
    const store = createKnowledgeCaseStore(db);
    /** @throws quota_exceeded where the project has no room for a draft of this issue */
    async function assertRoom(projectId: string, issueId: string): Promise<void> {
      if (await store.hasDraft(projectId, issueId)) return;
      assertRoomWithin(
        {
          holder: 'This project',
          things: 'knowledge cases',
          limit: settings.KNOWLEDGE_CASES_PER_PROJECT,
          setting: 'KNOWLEDGE_CASES_PER_PROJECT',
        },
        await store.count(projectId),
      );
    }

    return {
      ...store,
      assertRoom,

      /** As the store's. @throws quota_exceeded */
      async putDraft(projectId: string, extracted: NewCase) {
        await assertRoom(projectId, extracted.issue_id);
        return store.putDraft(projectId, extracted);
      },
    };
  },
});
