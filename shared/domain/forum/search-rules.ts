import type { SearchSlot, ThreadDocument, ThreadFiling, ThreadQuery } from './model.ts';

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

/** What the search keeps of a thread. */
export function slotOf(thread: ThreadDocument): SearchSlot {
  const { revision, is_deleted, status, category, labels, chip_id, target_type, target_id, cooldown_id } =
    thread;
  const filing = { status, category, labels, chip_id, target_type, target_id, cooldown_id };
  return { text: searchedText(thread), filing: is_deleted ? null : filing, revision };
}

/** What the search keeps of the threads of a block of which nobody knows anything. */
export function unknownSlots(): SearchSlot[] {
  return Array.from({ length: BLOCK }, () => ({ text: null, filing: null, revision: -1 }));
}

/** By what lists are narrowed, but for the text and the number that are looked for. */
export type Narrowing = Pick<
  ThreadQuery,
  'status' | 'category' | 'label' | 'chip_id' | 'target_type' | 'target_id' | 'cooldown_id'
>;

/** Whether a list that is narrowed shows what is filed so. */
export function isWithin(filing: ThreadFiling, { status, label, ...equal }: Narrowing): boolean {
  if (status !== 'all' && filing.status !== status) return false;
  if (label !== undefined && !filing.labels.includes(label)) return false;
  const { category, chip_id, target_type, target_id, cooldown_id } = equal;
  return (
    (category === undefined || filing.category === category) &&
    (chip_id === undefined || filing.chip_id === chip_id) &&
    (target_type === undefined || filing.target_type === target_type) &&
    (target_id === undefined || filing.target_id === target_id) &&
    (cooldown_id === undefined || filing.cooldown_id === cooldown_id)
  );
}

/** Where the text of a thread is kept. */
export function placeOf(number: number): { block: number; slot: number } {
  return { block: Math.floor(number / BLOCK), slot: number % BLOCK };
}

/** The number of the thread whose text is kept in a place. */
export function numberAt(block: number, slot: number): number {
  return block * BLOCK + slot;
}
