import type { NotificationKind, NotificationSource } from './model.ts';

/** Name that mentions the language model; never a user. */
export const AI_NAME = 'qdash';
/** Name that mentions everybody in the project. */
const EVERYBODY = 'project';
/** Maximum number of mentions in one text; further ones are plain text. */
const NAMES_OF_TEXT = 50;
/** Maximum characters of a text that is displayed whole. */
const WHOLE_TEXT = 180;

/** The mentions (`@name`) in a text. */
export interface Mentions {
  /** For each mention the names it may refer to, longest first: both a name and a sentence may end in a dot. */
  names: string[][];
  everybody: boolean;
  /** Whether the language model is asked to reply. */
  ai: boolean;
}

/** Finds the mentions in a text. Names match in any case, because only usernames of earlier releases contain capitals. */
export function mentionsIn(text: string): Mentions {
  const found: Mentions = { names: [], everybody: false, ai: false };
  const seen = new Set<string>();
  for (const [, token = ''] of text.matchAll(/(?<![\p{L}\p{N}_.-])@([A-Za-z0-9_.-]+)/gu)) {
    const bare = token.replace(/[._-]+$/, '');
    const reserved = bare.toLowerCase();
    if (reserved === EVERYBODY) found.everybody = true;
    else if (reserved === AI_NAME) found.ai = true;
    else if (bare !== '' && !seen.has(token) && seen.size < NAMES_OF_TEXT) {
      seen.add(token);
      found.names.push(endings(token, bare));
    }
  }
  return found;
}

/** A text without the mentions of the language model. */
export function withoutAiMention(text: string): string {
  return text.replace(new RegExp(`(?<![\\w.-])@${AI_NAME}(?![\\w-])[ \\t]?`, 'gi'), '');
}

/** A token, then ever shorter without trailing punctuation; at most three variants. */
function endings(token: string, bare: string): string[] {
  const written = [token, token.slice(0, -1), bare].filter((each) => each.startsWith(bare));
  return [...new Set(written.flatMap((each) => [each, each.toLowerCase()]))];
}

/** The start of a text on one line. */
export function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= WHOLE_TEXT) return line;
  return `${line.slice(0, WHOLE_TEXT - 1).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/** Kind of a message by source and reason. */
export const kindOf: Readonly<
  Record<NotificationSource, { mentioned: NotificationKind; replied: NotificationKind }>
> = {
  issue: { mentioned: 'mention', replied: 'issue_reply' },
  forum_post: { mentioned: 'forum_mention', replied: 'forum_reply' },
  // Notes have no replies.
  note_event: { mentioned: 'note_mention', replied: 'note_mention' },
};

/** Reason for a notification. */
export type Reason = 'mentioned' | 'assigned' | 'replied';

const verbs: Readonly<Record<Reason, string>> = {
  mentioned: 'mentioned you in',
  assigned: 'assigned you to',
  replied: 'replied in',
};

/** The headline of a message. */
export function titleOf(actor: string, reason: Reason, where: string): string {
  return `${actor} ${verbs[reason]} ${where}`;
}
