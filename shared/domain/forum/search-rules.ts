import type { ThreadDocument } from './model.ts';

/** Characters of a piece by which texts are found. */
const GRAM = 3;
/** Pieces of a question that are looked up; a text that has them all is read to see whether it has the question. */
const ASKED_GRAMS = 16;
/** Stands behind each field, so that its last characters begin a piece too. */
const END = '\u0000'.repeat(GRAM - 1);

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

/** Every piece of three characters of what the search looks at, in small letters. */
export function gramsOf(thread: Searched): string[] {
  const grams = new Set<string>();
  for (const text of searched.flatMap((field) => thread[field] ?? [])) {
    const padded = text.toLowerCase() + END;
    for (let at = 0; at + GRAM <= padded.length; at += 1) grams.add(padded.slice(at, at + GRAM));
  }
  return [...grams];
}

/** Condition that a thread has a text as a part of one of its fields, in any case, or `#12` as its number; null for no text. */
export function searchFilter(asked: string): Record<string, unknown> | null {
  const text = asked.trim().replace(/^#/, '').trim();
  if (text === '') return null;
  const has = textFilter(text);
  return /^\d{1,9}$/.test(text) ? { $or: [has, { number: Number(text) }] } : has;
}

function textFilter(text: string): Record<string, unknown> {
  const needle = text.toLowerCase();
  if (needle.length === GRAM) return { grams: needle };
  if (needle.length < GRAM) return { grams: { $regex: `^${escaped(needle)}` } };
  const grams = new Set<string>();
  for (let at = 0; at + GRAM <= needle.length && grams.size < ASKED_GRAMS; at += 1) {
    grams.add(needle.slice(at, at + GRAM));
  }
  const part = { $regex: escaped(text), $options: 'i' };
  return { grams: { $all: [...grams] }, $or: searched.map((field) => ({ [field]: part })) };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
