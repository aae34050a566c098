import type { Turn } from '../language-models/model.ts';
import { cut, DATA_RULE, quotedData } from '../language-models/quoting-rules.ts';
import { withoutAiMention } from '../notifications/rules.ts';
import type { ReplyDocument } from './model.ts';
import type { ThreadRow } from './wire.ts';

/** Replies that a question shows to the language model, the newest. */
export const SHOWN_REPLIES = 50;
/** Characters of one post that it shows. */
const POST_LIMIT = 4000;

/** What the language model is told to be. */
export function systemPrompt(given: { system_prompt: string; response_language: string }): string {
  return [
    given.system_prompt,
    `You take part in the forum of a laboratory that calibrates superconducting quantum chips. Answer the last message in
Markdown, in ${given.response_language}, briefly and to the point. Say so when you do not know something; invent no measurements.`,
    DATA_RULE,
  ]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

/**
 * A thread as a conversation that ends with a message of the user. What people wrote is quoted; what the language model
 * wrote are its own turns. A last reply that is the message itself is not told twice.
 */
export function conversationOf(
  thread: ThreadRow,
  replies: readonly ReplyDocument[],
  message: string,
): Turn[] {
  const asked = withoutAiMention(message).trim();
  const told = replies.filter(
    (reply, at) =>
      at < replies.length - 1 || reply.is_ai_reply || withoutAiMention(reply.content).trim() !== asked,
  );
  const first = {
    number: thread.number,
    category: thread.category,
    title: thread.title,
    status: thread.status,
    target: thread.target_id === null ? null : `${thread.chip_id} ${thread.target_type} ${thread.target_id}`,
  };
  const turns: Turn[] = [
    {
      role: 'user',
      content: `${quotedData('thread', first)}\n${quotedPost(thread)}`,
    },
    ...told.map(
      (reply): Turn =>
        reply.is_ai_reply
          ? { role: 'assistant', content: cut(reply.content, POST_LIMIT) }
          : { role: 'user', content: quotedPost(reply) },
    ),
    { role: 'user', content: asked === '' ? 'What do you say to this thread?' : asked },
  ];
  return merged(turns);
}

/** The same with neighbouring turns of one side as one, as language models want them. */
function merged(turns: readonly Turn[]): Turn[] {
  const sides: Turn[] = [];
  for (const turn of turns) {
    const last = sides.at(-1);
    if (last?.role === turn.role) last.content += `\n${turn.content}`;
    else sides.push({ ...turn });
  }
  return sides;
}

function quotedPost({ username, content }: { username: string; content: string }): string {
  return quotedData(`post of ${username}`, withoutAiMention(content).trim(), POST_LIMIT);
}
