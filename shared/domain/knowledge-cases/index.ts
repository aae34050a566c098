import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { NewCase } from './model.ts';
import type { KnowledgeCaseSettings } from './settings.ts';
import { createKnowledgeCaseStore, knowledgeCaseIndexes } from './store.ts';

export { CASES_OF_TASK } from './case-lists.ts';

export type KnowledgeCases = ReturnType<typeof knowledgeCases.create>;

/** Knowledge about tasks extracted from issues: drafts, and cases that a user approved or rejected. */
export const knowledgeCases = defineArea({
  name: 'knowledgeCases',
  indexes: [knowledgeCaseIndexes],
  create({ db, settings }: Kernel<KnowledgeCaseSettings>) {
    const store = createKnowledgeCaseStore(db, settings.CALIB_DATA_PATH);
    /** @throws quota_exceeded if the project has no room for a draft of this issue */
    async function assertRoom(projectId: ProjectId, issueId: string): Promise<void> {
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

      /** Stores a draft if the project has room for it. @throws quota_exceeded */
      async putDraft(projectId: ProjectId, extracted: NewCase) {
        await assertRoom(projectId, extracted.issue_id);
        return store.putDraft(projectId, extracted);
      },
    };
  },
});
