import { CalibronError } from '../../kernel/errors.ts';
import type { Period } from './model.ts';

/** Whether two periods overlap; one may start at the moment when the other ends. */
export function overlaps(a: Period, b: Period): boolean {
  const endsAfter = (period: Period, moment: Date) => period.ended_at === null || period.ended_at > moment;
  return endsAfter(a, b.started_at) && endsAfter(b, a.started_at);
}

/** Checks that an end is not before its start; null means unknown or still open. @throws invalid_input */
export function assertInOrder(
  from: { name: string; at: Date | null },
  to: { name: string; at: Date | null },
): void {
  if (from.at === null || to.at === null || from.at <= to.at) return;
  const msg = `should not be before ${from.name}`;
  throw new CalibronError('invalid_input', `${to.name} ${msg}.`, {
    problems: [{ type: 'value_error', loc: ['body', to.name], msg: `Input ${msg}` }],
  });
}

/** Images among the blocks of an editor. */
export function imageCount(blocks: readonly Record<string, unknown>[]): number {
  return blocks.filter((block) => block['type'] === 'image').length;
}
