import { isoTimeOrNull } from '../../kernel/time.ts';
import type { CommandStore, ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus, waitingSentence } from '../executions/status-rules.ts';
import type { ClosedTask, TaskResultStore } from '../results/index.ts';
import { isTaskEnd } from '../results/status-rules.ts';
import type { ExecutionEvents } from './event-model.ts';
import { estimatedEnd } from './progress-rules.ts';

/** Milliseconds after which the end of a task is seen by all: within them, ends may still come in another order. */
const SETTLED = 1000;
/** Milliseconds that are looked at again, for an end whose writer's clock is slow. */
const OVERLAP = 10_000;

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
 * the n-th is the same one for every watch of the run, also after a restart.
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
  async function readClosed(ended: boolean): Promise<ClosedTask[]> {
    const from = ended ? new Date(0) : new Date(settledUpTo.getTime() - OVERLAP);
    const to = new Date(ended ? Number.MAX_SAFE_INTEGER / 2 : Date.now() - SETTLED);
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

  return {
    /**
     * The first look compares an open run with the engine, as any read of it does.
     * @returns how the run stands, and the tasks that ended since the last look; null when the run is gone.
     */
    async look(): Promise<{ view: RunView; closed: ClosedTask[] } | null> {
      // Read before the tasks: of a run that has ended by then all tasks are closed.
      const execution = await (looked ? executions.get : current)(projectId, executionId);
      looked = true;
      if (!execution) return null;
      const ended = isEndStatus(execution.status);
      await readStages();
      const closed = await readClosed(ended);
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
      return { view, closed };
    },
  };
}

function settledOf({ completed, failed, skipped, cancelled }: StageTally): number {
  return completed + failed + skipped + cancelled;
}
