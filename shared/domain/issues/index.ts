import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Chat } from '../chat/index.ts';
import type { KnowledgeCases } from '../knowledge-cases/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskKnowledgePages } from '../task-knowledge/index.ts';
import { createExtraction } from './extraction.ts';
import { createIssues } from './issues.ts';
import { createModelReply } from './model-reply.ts';
import type { IssueSettings } from './settings.ts';
import { createIssueStore, issueIndexes } from './store.ts';

export type Issues = ReturnType<typeof issues.create>;

interface Needs extends Kernel<IssueSettings> {
  accounts: Pick<Accounts, 'users'>;
  results: TaskResultStore;
  notifications: Pick<Notifications, 'tell'>;
  chat: Pick<Chat, 'announce'>;
  knowledgeCases: KnowledgeCases;
  languageModels: LanguageModels;
  taskKnowledge: TaskKnowledgePages;
}

/** Discussions about task results. */
export const issues = defineArea({
  name: 'issues',
  indexes: [issueIndexes],
  create({
    db,
    settings,
    accounts,
    results,
    notifications,
    chat,
    knowledgeCases,
    taskKnowledge,
    languageModels,
  }: Needs) {
    const store = createIssueStore(db);
    const discussed = createIssues({
      store,
      results,
      users: accounts.users,
      tell: notifications.tell,
      announce: chat.announce,
      settings,
    });
    const { thread, threadOf, addModelReply } = discussed;
    return {
      ...discussed,
      taskIds: store.taskIds,
      extractKnowledge: createExtraction({ threadOf, results, knowledgeCases, languageModels }),
      replyByModel: createModelReply({ thread, addModelReply, results, taskKnowledge, languageModels }),
    };
  },
});
