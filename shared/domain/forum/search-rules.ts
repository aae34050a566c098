import type { SearchSlot, ThreadDocument, ThreadFiling, ThreadQuery } from './model.ts';

/** Number of threads whose texts are stored in one document, so that a search reads few documents. */
export const BLOCK = 64;

/** Separator between fields; queries never contain it. */
const BETWEEN = '\u0000';

/** Fields that are searched. */
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

/** The searchable text of a thread, in lower case. */
export function searchedText(thread: Searched): string {
  return searched
    .flatMap((field) => thread[field] ?? [])
    .join(BETWEEN)
    .toLowerCase();
}

/** A parsed query: a fragment in lower case and, if it consists of digits, a number. */
export interface Asked {
  text: string;
  number: number | null;
}

/** Parses a query, `#12` as 12; null if it is empty. */
export function askedFor(question: string): Asked | null {
  const text = question.trim().replace(/^#/, '').trim().toLowerCase();
  if (text === '') return null;
  return { text, number: /^\d{1,9}$/.test(text) ? Number(text) : null };
}

/** The search entry of a thread. */
export function slotOf(thread: ThreadDocument): SearchSlot {
  const { revision, is_deleted, status, category, labels, chip_id, target_type, target_id, cooldown_id } =
    thread;
  const filing = { status, category, labels, chip_id, target_type, target_id, cooldown_id };
  return { text: searchedText(thread), filing: is_deleted ? null : filing, revision };
}

/** Empty search entries for a block of threads that are not indexed yet. */
export function unknownSlots(): SearchSlot[] {
  return Array.from({ length: BLOCK }, () => ({ text: null, filing: null, revision: -1 }));
}

/** Filters of lists, without the text and the number of the query. */
export type Narrowing = Pick<
  ThreadQuery,
  'status' | 'category' | 'label' | 'chip_id' | 'target_type' | 'target_id' | 'cooldown_id'
>;

/** Whether a filtered list includes a thread with this filing. */
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

/** Where the text of a thread is stored. */
export function placeOf(number: number): { block: number; slot: number } {
  return { block: Math.floor(number / BLOCK), slot: number % BLOCK };
}

/** The number of the thread whose text is stored at a place. */
export function numberAt(block: number, slot: number): number {
  return block * BLOCK + slot;
}
