import { withoutAiMention } from '../notifications/rules.ts';
import type { ChatMessage } from './model.ts';

/** Maximum number of lines and characters of a text that a message shows. */
const EXCERPT_LINES = 3;
const EXCERPT = 200;
/** Maximum length in characters of a headline and of a field. */
const LINE = 300;
/** Milliseconds after which a message that cannot be sent is given up. */
export const GIVE_UP_AFTER = 24 * 3_600_000;

/** The beginning of a text, without the mention that calls the language model. */
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

/** Escapes a text so that the chat interprets nothing in it: no link, no mention of people or channels. */
function plainText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** The arguments of `chat.postMessage` for a message (https://docs.slack.dev/reference/methods/chat.postMessage). */
export function postedMessage({ headline, fields, text, color }: ChatMessage): Record<string, unknown> {
  const title = plainText(shortened(headline.text.replace(/\s+/g, ' '), LINE));
  // A `|` would end the address of a link.
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
