import type { CopilotSettings, Turn } from './model.ts';
import { cut, DATA_RULE, quotedData } from './quoting-rules.ts';

/** One post of a thread of people and the assistant. */
export interface ThreadPost {
  username: string;
  content: string;
  /** Whether the assistant wrote it. */
  is_ai_reply: boolean;
}

/** Maximum characters of a quoted post, and of the context of a thread; the longest human posts fit whole. */
const POST_LENGTH = 12_000;
const CONTEXT_LENGTH = 20_000;

/**
 * Converts a thread to a conversation. Human posts become quotations, the assistant's posts its own turns, and the
 * question comes last. If the newest post is the question itself, it is not repeated.
 * @param withoutMention removes the mention of the assistant from a text
 */
export function turnsOfThread(
  posts: readonly ThreadPost[],
  question: string,
  {
    withoutMention,
    context,
  }: {
    withoutMention(text: string): string;
    context: readonly { source: string; content: unknown }[];
  },
): Turn[] {
  const textOf = (text: string) => withoutMention(text).trim();
  const asked = textOf(question);
  const last = posts.at(-1);
  const isAsked = last !== undefined && !last.is_ai_reply && textOf(last.content) === asked;
  const earlierPosts = isAsked ? posts.slice(0, -1) : posts;
  return [
    ...earlierPosts.map(
      ({ username, content, is_ai_reply }): Turn =>
        is_ai_reply
          ? { role: 'assistant', content: cut(content, POST_LENGTH) }
          : { role: 'user', content: quotedData(`post by ${username}`, textOf(content), POST_LENGTH) },
    ),
    // Turns that do not fit a model's input are cut from the start, so the context comes after the posts.
    ...context.map(
      ({ source, content }): Turn => ({ role: 'user', content: quotedData(source, content, CONTEXT_LENGTH) }),
    ),
    { role: 'user', content: asked === '' ? 'What do you say to this?' : `Reply to this: ${asked}` },
  ];
}

/** Describes the assistant's role in a thread. @param where such as "an issue on a task result" */
export function threadPrompt(
  { response_language, system_prompt }: Pick<CopilotSettings, 'response_language' | 'system_prompt'>,
  where: string,
): string {
  return [
    `You are an expert of superconducting qubits and their calibration. You reply in ${where}, in Markdown, briefly and to
the point. Say what you do not know. Answer in ${response_language}.`,
    ...(system_prompt === '' ? [] : [system_prompt]),
    DATA_RULE,
  ].join('\n\n');
}
