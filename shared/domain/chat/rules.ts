import { withoutAiMention } from '../notifications/rules.ts';
import type { ChatMessage } from './model.ts';

/** Lines and characters of a text that a message shows. */
const EXCERPT_LINES = 3;
const EXCERPT = 200;
/** Characters of a headline and of a field. */
const LINE = 300;
/** Milliseconds after which a message that could not be sent is given up. */
export const GIVE_UP_AFTER = 24 * 3_600_000;

/** The beginning of a text, without the mention by which the language model is asked. */
export function excerptOf(text: string): string {
  const lines = withoutAiMention(text)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return shortened(lines.slice(0, EXCERPT_LINES).join('\n'), EXCERPT);
}

function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/** A text in which nothing is a mark of the chat: no link, no mention of people or channels. */
function plainText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** What `chat.postMessage` takes of a message (https://docs.slack.dev/reference/methods/chat.postMessage). */
export function postedMessage({ headline, fields, text, color }: ChatMessage): Record<string, unknown> {
  const title = plainText(shortened(headline.text.replace(/\s+/g, ' '), LINE));
  // A bar would end the address of a link.
  const line = headline.url === null ? `*${title}*` : `*<${headline.url}|${title.replace(/\|/g, '¦')}>*`;
  const shown = fields.map(({ name, value }) => ({
    title: name,
    value: plainText(shortened(value, LINE)),
    short: true,
  }));
  const excerpt = plainText(excerptOf(text));
  const isBare = shown.length === 0 && excerpt === '' && color === null;
  const attachment = {
    fallback: title,
    text: excerpt,
    mrkdwn_in: [],
    ...(color !== null && { color }),
    ...(shown.length > 0 && { fields: shown }),
  };
  return {
    text: line,
    unfurl_links: false,
    unfurl_media: false,
    link_names: false,
    ...(!isBare && { attachments: [attachment] }),
  };
}
