import { CalibronError } from './errors.ts';
import { sha256 } from './ids.ts';

/** The entity tags of which a caller expects one to be current, or `*` for any that exists. */
export type Precondition = '*' | readonly string[];

/** Characters of an entity tag between its quotes. */
const TAG_LENGTH = 32;

/** The entity tag (RFC 9110) of a JSON value as callers see it: equal values have equal tags. */
export function entityTagOf(shown: unknown): string {
  return `"${sha256(JSON.stringify(shown)).slice(0, TAG_LENGTH)}"`;
}

/**
 * Reads a header `If-Match`; undefined without one. A weak tag counts as the strong one, because proxies that compress
 * answers weaken their tags.
 */
export function readPrecondition(header: string | undefined): Precondition | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  return header.match(/"[^"]*"/g) ?? [];
}

/** @param current the tag of what is stored; null where nothing is. @throws precondition_failed */
export function assertMet(precondition: Precondition, current: string | null): void {
  const isMet =
    current !== null && (precondition === '*' || precondition.some((expected) => expected === current));
  if (isMet) return;
  throw new CalibronError(
    'precondition_failed',
    'This was changed or deleted after you read it. Read it again, then save your change with the new ETag.',
  );
}

/**
 * Saves something on the condition that it is still what the caller read. The write compares and sets in the store, so
 * a change by another process between the check and the write is never lost.
 * @throws precondition_failed
 */
export async function saveIfMet<Current, Saved>(
  precondition: Precondition | undefined,
  steps: {
    read(): Promise<Current>;
    /** The entity tag of what was read; null where nothing is stored. */
    tagOf(current: Current): string | null;
    /** Writes if what is stored still is as given, or always without it. @returns null if it has changed */
    write(expected?: Current): Promise<Saved | null>;
  },
): Promise<Saved | null> {
  if (precondition === undefined) return steps.write();
  for (;;) {
    const current = await steps.read();
    assertMet(precondition, steps.tagOf(current));
    const saved = await steps.write(current);
    if (saved !== null) return saved;
  }
}
