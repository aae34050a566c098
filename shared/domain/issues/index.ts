import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Chat } from '../chat/index.ts';
import type { KnowledgeCases } from '../knowledge-cases/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskKnowledgePages } from '../task-knowledge/index.ts';
import { createExtraction } from './extraction.ts';
import { createModelReply } from './model-reply.ts';
import { createPresenting } from './presenting.ts';
import { createReading } from './reading.ts';
import { createReplying } from './replying.ts';
import type { IssueSettings } from './settings.ts';
import { createIssueStore, issueIndexes } from './store.ts';
import { createWriting } from './writing.ts';

export type Issues = ReturnType<typeof issues.create>;

interface Needs extends Kernel<IssueSettings> {
  accounts: Pick<Accounts, 'users'>;
  results: TaskResultStore;
  notifications: Pick<Notifications, 'notify'>;
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
    const { notify } = notifications;
    const { announce } = chat;
    const presenting = createPresenting(accounts.users);
    const reading = createReading({ store, results, presenting });
    const { reply, addModelReply } = createReplying({ store, presenting, notify, announce, settings });
    const { thread, threadOf } = reading;
    return {
      ...reading,
      ...createWriting({ store, results, presenting, reply, notify, announce, settings }),
      addModelReply,
      taskIds: store.taskIds,
      extractKnowledge: createExtraction({ threadOf, results, knowledgeCases, languageModels }),
      replyByModel: createModelReply({ thread, addModelReply, results, taskKnowledge, languageModels }),
    };
  },
});
