/** Task counts by final status. No I/O and no zod: workflows import this file. */
import type { TaskCounts } from './model.ts';

export const noCounts: TaskCounts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, total: 0 };

export function addCounts(a: TaskCounts, b: TaskCounts): TaskCounts {
  return {
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    cancelled: a.cancelled + b.cancelled,
    total: a.total + b.total,
  };
}

/** The text shown in an execution's message and in the operators' view. */
export function countsMessage(counts: TaskCounts): string {
  const parts = [`${counts.completed} of ${counts.total} tasks completed`];
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`);
  if (counts.cancelled > 0) parts.push(`${counts.cancelled} cancelled`);
  return `${parts.join(', ')}.`;
}
