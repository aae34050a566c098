import type { ProjectId } from '../../kernel/ids.ts';
import { ModelError } from '../language-models/errors.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { threadPrompt, turnsOfThread } from '../language-models/thread-rules.ts';
import { AI_NAME, withoutAiMention } from '../notifications/rules.ts';
import type { Post } from './model.ts';
import type { Reading } from './reading.ts';
import type { ReplyStore } from './reply-store.ts';
import { wrongField } from './rules.ts';
import type { createWriting } from './writing.ts';

/** Maximum number of replies shown to the language model; the newest. */
const SHOWN_REPLIES = 50;
/** Maximum length of a reply in characters, the same as for users. */
const REPLY_LIMIT = 8000;

/** Callbacks that follow an answer while it is created. */
export interface AiTelling {
  step(
    step: 'load_forum' | 'build_history' | 'run_chat' | 'thinking' | 'save_reply' | 'complete',
    message: string,
  ): void;
  signal: AbortSignal;
}

/** Replies of the language model on request. */
export function createAiReplies(needs: {
  reading: Pick<Reading, 'find'>;
  replies: Pick<ReplyStore, 'newest'>;
  writing: Pick<ReturnType<typeof createWriting>, 'addAiReply'>;
  models: Pick<LanguageModels, 'config' | 'writeText'>;
}) {
  const { reading, replies, writing, models } = needs;

  /**
   * Lets the language model answer a message in a thread, and adds the answer to the thread.
   * @throws not_found, quota_exceeded, invalid_input for a reply instead of a thread, and errors of the language model
   */
  return async (
    projectId: ProjectId,
    threadId: string,
    message: string,
    { step, signal }: AiTelling,
  ): Promise<Post> => {
    step('load_forum', 'Reading the thread.');
    const { thread, reply } = await reading.find(projectId, threadId);
    if (reply) throw wrongField('post_id', 'value_error', "should be a thread's first post");
    const newestReplies = await replies.newest(projectId, threadId, SHOWN_REPLIES);
    step('build_history', 'Putting the question together.');
    const { number, category, title, status, chip_id, target_type, target_id } = thread;
    const target = target_id === null ? null : `${chip_id} ${target_type} ${target_id}`;
    const turns = turnsOfThread([thread, ...newestReplies], message, {
      withoutMention: withoutAiMention,
      context: [{ source: 'thread', content: { number, category, title, status, target } }],
    });
    const config = await models.config();
    step('run_chat', 'Asking the language model.');
    let begun = false;
    const { content } = await models.writeText(
      {
        purpose: 'chat',
        system: threadPrompt(
          config,
          'the forum of a laboratory that calibrates superconducting quantum chips',
        ),
        turns,
        signal,
      },
      () => {
        if (!begun) step('thinking', 'The language model is writing.');
        begun = true;
      },
    );
    const text = content.trim().slice(0, REPLY_LIMIT);
    if (text === '') throw new ModelError('model_failed', 'The language model answered nothing.');
    step('save_reply', 'Adding the reply.');
    const added = await writing.addAiReply(projectId, threadId, AI_NAME, text);
    step('complete', 'The reply is in the thread.');
    return added;
  };
}
