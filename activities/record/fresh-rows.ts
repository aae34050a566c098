import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { TaskEnd } from './applying.ts';
import type { Trail } from './trailing-writes.ts';

/** Rows that are remembered; more targets than a process measures at once. */
const ROWS = 200;
/**
 * Milliseconds for which a row counts as fresh: less than the engine waits for a silent worker, so that nobody else has
 * measured and recorded the task meanwhile, whose files a late writer would replace.
 */
const FRESH_FOR = 1000;

export interface FreshRow {
  row: TaskResultDocument;
  /** What calibration state held of its target when it was made. */
  calibrated: Readonly<CalibratedTarget> | null;
  /** Before it was made, by `performance.now()`, which goes on while the process is stopped. */
  begun: number;
  /** What is left of the tasks before it; absent where they had ended before this one was made. */
  before?: Trail<TaskEnd>;
}

export type FreshRows = ReturnType<typeof createFreshRows>;

/**
 * Rows of tasks that this process has just made: who closes one need not read it, nor its target's state, which nobody
 * else changes meanwhile. A row may have ended since with its run; the write of its outcome finds out.
 */
export function createFreshRows() {
  const rows = new Map<string, FreshRow>();
  return {
    keep(fresh: FreshRow): void {
      if (rows.size >= ROWS) rows.delete(rows.keys().next().value ?? '');
      rows.set(fresh.row._id, fresh);
    },

    /** Notes that tasks before one are yet to be ended. */
    follow(id: string, before: Trail<TaskEnd>): void {
      const found = rows.get(id);
      if (found) rows.set(id, { ...found, before });
    },

    /** Once: what is closed a second time is read. */
    take(id: string): FreshRow | undefined {
      const found = rows.get(id);
      rows.delete(id);
      return found && performance.now() - found.begun < FRESH_FOR ? found : undefined;
    },
  };
}
