/** From prepare to finish: the rows that this process created. */
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { TaskEnd } from './applying.ts';
import type { Trail } from './trailing-writes.ts';

/** Number of rows to remember: more than the targets that a process measures at once. */
const ROWS = 200;
/**
 * Milliseconds for which a row counts as fresh. Shorter than the heartbeat timeout, so that no other process has measured and
 * recorded the task meanwhile, whose files a late writer would replace.
 */
const FRESH_FOR = 1000;

export interface FreshRow {
  row: TaskResultDocument;
  /** Calibration state of its target when the row was created. */
  calibrated: Readonly<CalibratedTarget> | null;
  /** A time just before it was created, by `performance.now()`, which also advances while the process is frozen. */
  begun: number;
  /** Pending writes of the tasks before it; absent if those had ended before this row was created. */
  before?: Trail<TaskEnd>;
}

export type FreshRows = ReturnType<typeof createFreshRows>;

/**
 * Cache of rows that this process has just created. Closing such a row needs no read of the row or of its target's state, which
 * no other process changes meanwhile. If the run has ended since, the write of the outcome detects it.
 */
export function createFreshRows() {
  const rows = new Map<string, FreshRow>();
  return {
    keep(fresh: FreshRow): void {
      if (rows.size >= ROWS) rows.delete(rows.keys().next().value ?? '');
      rows.set(fresh.row._id, fresh);
    },

    /** Notes the pending writes of the tasks before a row. */
    follow(id: string, before: Trail<TaskEnd>): void {
      const found = rows.get(id);
      if (found) rows.set(id, { ...found, before });
    },

    /** Removes and returns a row, so that a second close reads it from the store. */
    take(id: string): FreshRow | undefined {
      const found = rows.get(id);
      rows.delete(id);
      return found && performance.now() - found.begun < FRESH_FOR ? found : undefined;
    },
  };
}
