import type { TaskResultDocument } from '../../shared/domain/results/model.ts';

/** The pass of its task in which a row is, or in which it ended. */
export function passOf({ passes = [] }: Pick<TaskResultDocument, 'passes'>): number {
  return passes.length + 1;
}

/**
 * Splits rows that share a measurement into those that ended in an earlier pass and those in the current or last pass. Rows
 * that are already in a later pass are in neither list.
 */
export function byPass<Row extends Pick<TaskResultDocument, 'status' | 'passes'>>(
  rows: readonly Row[],
): { earlier: Row[]; now: Row[] } {
  const running = rows.filter(({ status }) => status === 'running').map(passOf);
  const pass = running.length > 0 ? Math.min(...running) : Math.max(...rows.map(passOf));
  return {
    earlier: rows.filter((row) => passOf(row) < pass),
    now: rows.filter((row) => passOf(row) === pass),
  };
}
