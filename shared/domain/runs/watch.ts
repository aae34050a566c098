import { isoTimeOrNull } from '../../kernel/time.ts';
import type { CommandStore, ExecutionStore, FlowEntryDocument } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus, waitingSentence } from '../executions/status-rules.ts';
import { executionLogEntryOf } from '../executions/wire.ts';
import type { ClosedTask, TaskResultStore } from '../results/index.ts';
import { isTaskEnd } from '../results/status-rules.ts';
import type { ExecutionEvents } from './event-model.ts';
import { estimatedEnd } from './progress-rules.ts';

/** Milliseconds after which the end of a task is seen by all: within them, ends may still come in another order. */
const SETTLED = 1000;
/** Milliseconds that are looked at again, for an end whose writer's clock is slow. */
const OVERLAP = 10_000;

/** What happened in a run, each told once. */
export type RunNews =
  | { event: 'task'; data: ExecutionEvents['task'] }
  | { event: 'log'; data: ExecutionEvents['log'] };

/** How a run stands. */
export interface RunView {
  state: ExecutionEvents['state'];
  progress: ExecutionEvents['progress'];
  waiting: ExecutionEvents['waiting'];
  /** Present when the run has ended and every task of it was told. */
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
 * Looks at a run again and again. Tasks are told once each, in the order in which their ends were written, so that
 * the n-th is the same one for every watch of the run, also after a restart; what the flow logged and recorded in the
 * order of its numbers. How the two lie between each other follows their times, and may differ between two watches.
 */
export function createRunWatch(
  stores: {
    executions: ExecutionStore;
    commands: CommandStore;
    results: TaskResultStore;
    /** The execution of a run as it is by now. @throws not_found */
    current(projectId: string, id: string): Promise<ExecutionDocument>;
  },
  projectId: string,
  executionId: string,
) {
  const { executions, commands, results, current } = stores;
  const stages = new Map<number, StageTally>();
  const told = new Set<string>();
  let settledUpTo = new Date(0);
  let lastEntry = -1;
  let looked = false;

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

  /** Tasks whose end was not told yet. Of an ended run every task is looked at, so that none is missing. */
  async function readClosed(ended: boolean, to: Date): Promise<ClosedTask[]> {
    const from = ended ? new Date(0) : new Date(settledUpTo.getTime() - OVERLAP);
    const closed = (await results.closedBetween(projectId, executionId, from, to)).filter(
      ({ task_id }) => !told.has(task_id),
    );
    if (!ended) settledUpTo = to;
    for (const { task_id, stage, status } of closed) {
      told.add(task_id);
      const tally = stages.get(stage);
      if (tally && isTaskEnd(status)) tally[status] += 1;
    }
    return closed;
  }

  /** What the flow logged and recorded up to a time and was not told yet. */
  async function readEntries(to: Date): Promise<FlowEntryDocument[]> {
    const entries = await commands.entriesAfter(projectId, executionId, lastEntry);
    const late = entries.findIndex(({ created_at }) => created_at > to);
    const settled = late === -1 ? entries : entries.slice(0, late);
    lastEntry = settled.at(-1)?.index ?? lastEntry;
    return settled;
  }

  return {
    /**
     * The first look compares an open run with the engine, as any read of it does.
     * @returns how the run stands, and what happened since the last look; null when the run is gone.
     */
    async look(): Promise<{ view: RunView; news: RunNews[] } | null> {
      // Read before the tasks: of a run that has ended by then all tasks are closed.
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
      const pause = execution.paused || ended;
      const end =
        open && !pause
          ? estimatedEnd({ settled: settledOf(open), total: open.total, since: open.since, now: new Date() })
          : null;
      const view: RunView = {
        state: { status: execution.status, stage, resumed_at: execution.note['resumed_at'] ?? null },
        progress: {
          done: sum((tally) => tally.completed),
          failed: sum((tally) => tally.failed),
          skipped: sum((tally) => tally.skipped),
          total: sum((tally) => tally.total),
          stage,
          estimated_end: isoTimeOrNull(end),
        },
        waiting: { for: waitingSentence(execution) },
        end: ended ? { status: execution.status } : null,
      };
      return { view, news: newsOf(closed, entries) };
    },
  };
}

/** Both in the order of their times, each in its own order whatever the clocks of its writers said. */
function newsOf(closed: readonly ClosedTask[], entries: readonly FlowEntryDocument[]): RunNews[] {
  const news: RunNews[] = [];
  let told = 0;
  for (const { task_id, name, qid, status, message, closed_at } of closed) {
    for (let entry = entries[told]; entry && entry.created_at <= closed_at; entry = entries[told]) {
      news.push({ event: 'log', data: executionLogEntryOf(entry) });
      told += 1;
    }
    news.push({ event: 'task', data: { task_id, task_name: name, qid, status, message } });
  }
  const rest = entries
    .slice(told)
    .map((entry) => ({ event: 'log' as const, data: executionLogEntryOf(entry) }));
  return [...news, ...rest];
}

function settledOf({ completed, failed, skipped, cancelled }: StageTally): number {
  return completed + failed + skipped + cancelled;
}
