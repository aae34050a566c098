import type { ThreadDocument } from './model.ts';

/** Threads whose texts are kept together, so that a search reads few documents. */
export const BLOCK = 64;

/** Stands between fields; no question has it. */
const BETWEEN = '\u0000';

/** Fields that the search looks at. */
const searched = [
  'title',
  'content',
  'chip_id',
  'target_id',
  'cooldown_id',
  'assignee_username',
  'status',
  'category',
  'labels',
] as const;

export type Searched = Pick<ThreadDocument, (typeof searched)[number]>;

/** What the search looks at of a thread, in small letters. */
export function searchedText(thread: Searched): string {
  return searched
    .flatMap((field) => thread[field] ?? [])
    .join(BETWEEN)
    .toLowerCase();
}

/** What a question asks for: a part of a text in small letters, and where it is all digits a number. */
export interface Asked {
  text: string;
  number: number | null;
}

/** Reads a question, `#12` as 12; null where it asks for nothing. */
export function askedFor(question: string): Asked | null {
  const text = question.trim().replace(/^#/, '').trim().toLowerCase();
  if (text === '') return null;
  return { text, number: /^\d{1,9}$/.test(text) ? Number(text) : null };
}

/** Where the text of a thread is kept. */
export function placeOf(number: number): { block: number; slot: number } {
  return { block: Math.floor(number / BLOCK), slot: number % BLOCK };
}

/** A text as a regular expression that finds it as it is. */
export function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
