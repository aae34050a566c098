import { beginning } from '../../kernel/text.ts';

/** Maximum number of characters of a text in the audit trail. */
const MAX_TEXT = 300;

/** A text as the audit trail keeps it: truncated, and without control characters, which not every store accepts. */
export function auditText(text: string): string {
  return beginning(text, MAX_TEXT).replaceAll(/\p{Control}/gu, ' ');
}
