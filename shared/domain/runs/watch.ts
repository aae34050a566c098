import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { isoTimeOrNull } from '../../kernel/time.ts';
import type { CommandStore, ExecutionStore, Executions, FlowEntryDocument } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus, waitingReason } from '../executions/status-rules.ts';
import { executionLogEntryOf } from '../executions/wire.ts';
import type { ClosedTask, TaskResultStore } from '../results/index.ts';
import { isTaskEnd } from '../results/status-rules.ts';
import type { ExecutionEvents } from './event-model.ts';
import { estimatedEnd, steadyEnd } from './progress-rules.ts';

/** Milliseconds after which all readers see the end of a task. Until then, ends may still appear out of order. */
const SETTLED = 1000;
/** Milliseconds of overlap that are read again, for ends written by a process with a slow clock. */
const OVERLAP = 10_000;

/** An event of a run; each is reported once. */
export type RunNews =
  | { event: 'task'; data: ExecutionEvents['task'] }
  | { event: 'log'; data: ExecutionEvents['log'] };

/** Current state of a run. */
export interface RunView {
  state: ExecutionEvents['state'];
  progress: ExecutionEvents['progress'];
  waiting: ExecutionEvents['waiting'];
  /** Set when the run has ended and every task of it was reported. */
  end: ExecutionEvents['end'] | null;
}

export type RunWatch = ReturnType<typeof createRunWatch>;

interface StageTally {
  name: string;
  total: number;
  since: Date;
  completed: number;
  failed: number;
  skipped: number;
  cancelled: number;
}

/**
 * Watches a run by repeated reads. Each task is reported once, in the order in which the ends were written, so that the n-th task
 * is the same for every watch of the run, also after a restart. Log lines and records of the flow follow the order of their
 * numbers. The interleaving of the two follows their times and may differ between two watches.
 */
export function createRunWatch(
  stores: {
    executions: ExecutionStore;
    commands: CommandStore;
    results: TaskResultStore;
    /** The current execution of a run, compared with the engine. @throws not_found */
    current(projectId: ProjectId, id: string): Promise<ExecutionDocument>;
    forecasts: Pick<Executions, 'expectation' | 'forecast'>;
  },
  projectId: ProjectId,
  executionId: ExecutionId,
) {
  const { executions, commands, results, current, forecasts } = stores;
  const stages = new Map<number, StageTally>();
  const reportedTasks = new Set<string>();
  let settledUpTo = new Date(0);
  let lastEntry = -1;
  let looked = false;
  let shownEnd: Date | null = null;
  /** What earlier runs let expect; undefined before the first look. */
  let expected: Awaited<ReturnType<typeof forecasts.expectation>> | undefined;

  async function readStages(): Promise<void> {
    const last = Math.max(-1, ...stages.keys());
    for (const stage of await commands.stagesAfter(projectId, executionId, last)) {
      stages.set(stage.index, {
        name: stage.name,
        total: stage.tasks.length * stage.targets.length,
        since: stage.created_at,
        completed: 0,
        failed: 0,
        skipped: 0,
        cancelled: 0,
      });
    }
  }

  /** Tasks whose end was not reported yet. For an ended run all tasks are read, so that none is missed. */
  async function readClosed(ended: boolean, to: Date): Promise<ClosedTask[]> {
    const from = ended ? new Date(0) : new Date(settledUpTo.getTime() - OVERLAP);
    const closed = (await results.closedBetween(projectId, executionId, from, to)).filter(
      ({ task_id }) => !reportedTasks.has(task_id),
    );
    if (!ended) settledUpTo = to;
    for (const { task_id, stage, status } of closed) {
      reportedTasks.add(task_id);
      const tally = stages.get(stage);
      if (tally && isTaskEnd(status)) tally[status] += 1;
    }
    return closed;
  }

  /** Log lines and records of the flow up to a time that were not reported yet. */
  async function readEntries(to: Date): Promise<FlowEntryDocument[]> {
    const entries = await commands.entriesAfter(projectId, executionId, lastEntry);
    const late = entries.findIndex(({ created_at }) => created_at > to);
    const settled = late === -1 ? entries : entries.slice(0, late);
    lastEntry = settled.at(-1)?.index ?? lastEntry;
    return settled;
  }

  /** The end of the run, if earlier ones let expect it, otherwise of its open stage; null while it is paused. */
  function endOf(
    execution: ExecutionDocument,
    tallies: readonly StageTally[],
    open: StageTally | null,
  ): Date | null {
    const now = new Date();
    if (expected) {
      const tasks = tallies.reduce((sum, tally) => sum + settledOf(tally), 0);
      return forecasts.forecast(execution, expected, { tasks, now }).end;
    }
    if (!open || execution.paused) return null;
    return estimatedEnd({ settled: settledOf(open), total: open.total, since: open.since, now });
  }

  return {
    /**
     * Reads the run. The first call compares an open run with the engine, as any read of it does.
     * @returns the state of the run and the events since the last call; null when the run was deleted.
     */
    async look(): Promise<{ view: RunView; news: RunNews[] } | null> {
      // Read before the tasks: if the run has ended by then, all its tasks are closed.
      const execution = await (looked ? executions.get : current)(projectId, executionId);
      looked = true;
      if (!execution) return null;
      const ended = isEndStatus(execution.status);
      await readStages();
      const to = new Date(ended ? Number.MAX_SAFE_INTEGER / 2 : Date.now() - SETTLED);
      const [closed, entries] = [await readClosed(ended, to), await readEntries(to)];
      const tallies = [...stages.values()];
      const open = tallies.find((tally) => settledOf(tally) < tally.total) ?? null;
      const sum = (count: (tally: StageTally) => number) =>
        tallies.reduce((total, tally) => total + count(tally), 0);
      const stage = ended ? null : (open?.name ?? null);
      if (expected === undefined) expected = ended ? null : await forecasts.expectation(execution);
      shownEnd = ended ? null : steadyEnd(shownEnd, endOf(execution, tallies, open), new Date());
      const view: RunView = {
        state: { status: execution.status, stage, resumed_at: execution.note['resumed_at'] ?? null },
        progress: {
          done: sum((tally) => tally.completed),
          failed: sum((tally) => tally.failed),
          skipped: sum((tally) => tally.skipped),
          total: sum((tally) => tally.total),
          stage,
          estimated_end: isoTimeOrNull(shownEnd),
        },
        waiting: { for: waitingReason(execution) },
        end: ended ? { status: execution.status } : null,
      };
      return { view, news: newsOf(closed, entries) };
    },
  };
}

/** Merges both by time. Each keeps its own order, whatever the clocks of its writers were. */
function newsOf(closed: readonly ClosedTask[], entries: readonly FlowEntryDocument[]): RunNews[] {
  const news: RunNews[] = [];
  let nextEntry = 0;
  for (const { task_id, name, qid, status, message, closed_at } of closed) {
    for (let entry = entries[nextEntry]; entry && entry.created_at <= closed_at; entry = entries[nextEntry]) {
      news.push({ event: 'log', data: executionLogEntryOf(entry) });
      nextEntry += 1;
    }
    news.push({ event: 'task', data: { task_id, task_name: name, qid, status, message } });
  }
  const rest = entries
    .slice(nextEntry)
    .map((entry) => ({ event: 'log' as const, data: executionLogEntryOf(entry) }));
  return [...news, ...rest];
}

function settledOf({ completed, failed, skipped, cancelled }: StageTally): number {
  return completed + failed + skipped + cancelled;
}
