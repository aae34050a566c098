import { CalibronError } from './errors.ts';
import { sha256 } from './new-ids.ts';

/** The entity tags, one of which the caller expects to be current; or `*` if any existing version will do. */
export type Precondition = '*' | readonly string[];

/** Length of an entity tag in characters, without quotes. */
const TAG_LENGTH = 32;

/** The entity tag (RFC 9110) of a JSON value as shown to callers. Equal values have equal tags. */
export function entityTagOf(shown: unknown): string {
  return `"${sha256(JSON.stringify(shown)).slice(0, TAG_LENGTH)}"`;
}

/**
 * Parses an `If-Match` header; undefined if there is none. Weak tags are treated as strong, because proxies that compress
 * answers weaken the tags.
 */
export function readPrecondition(header: string | undefined): Precondition | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  return header.match(/"[^"]*"/g) ?? [];
}

/** @param current the tag of the stored value; null if there is none. @throws precondition_failed */
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
 * Saves a value if it is still what the caller read. The store compares and writes atomically, so a change by another
 * process between the check and the write is never lost.
 * @throws precondition_failed
 */
export async function saveIfMet<Current, Saved>(
  precondition: Precondition | undefined,
  steps: {
    read(): Promise<Current>;
    /** The entity tag of the value that was read; null if nothing is stored. */
    tagOf(current: Current): string | null;
    /** Writes if the stored value equals `expected`, or always without `expected`. @returns null if it has changed */
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
