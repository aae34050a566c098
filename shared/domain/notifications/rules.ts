import type { NotificationKind, NotificationSource } from './model.ts';

/** Name by which a text calls the language model; never a user. */
export const AI_NAME = 'qdash';
/** Name by which a text calls everybody in the project. */
const EVERYBODY = 'project';
/** Names that one text may call; what comes after is plain text. */
const NAMES_OF_TEXT = 50;
/** Characters of a text that is shown whole. */
const WHOLE_TEXT = 180;

/** Whom a text calls with `@name`. */
export interface Mentions {
  /** For each mention the names that it may stand for, longest first: a name may end in a dot, and so may a sentence. */
  names: string[][];
  everybody: boolean;
  /** Whether the language model is asked to answer. */
  ai: boolean;
}

/** Finds the mentions of a text. Names are known in any case: usernames have no capitals, but those of earlier releases. */
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

/** A text without the mentions that ask the language model. */
export function withoutAiMention(text: string): string {
  return text.replace(new RegExp(`(?<![\\w.-])@${AI_NAME}(?![\\w-])[ \\t]?`, 'gi'), '');
}

/** A token, then shorter and shorter without the marks at its end; at most three, however many there are. */
function endings(token: string, bare: string): string[] {
  const written = [token, token.slice(0, -1), bare].filter((each) => each.startsWith(bare));
  return [...new Set(written.flatMap((each) => [each, each.toLowerCase()]))];
}

/** The beginning of a text on one line. */
export function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= WHOLE_TEXT) return line;
  return `${line.slice(0, WHOLE_TEXT - 1).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/** What a message is called by why somebody gets it. */
export const kindOf: Readonly<
  Record<NotificationSource, { mentioned: NotificationKind; replied: NotificationKind }>
> = {
  issue: { mentioned: 'mention', replied: 'issue_reply' },
  forum_post: { mentioned: 'forum_mention', replied: 'forum_reply' },
  // Nobody replies to a note.
  note_event: { mentioned: 'note_mention', replied: 'note_mention' },
};

/** Why somebody is told of something. */
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
