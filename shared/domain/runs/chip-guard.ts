import { type WorkflowExecutionStatusName, WorkflowNotFoundError } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { stageWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import type { CommandStore } from '../executions/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { LockDocument, LockStore } from './lock-store.ts';

/** Milliseconds beyond the limits of its measurements after which what was told to end is terminated. */
export const ENDING_GRACE = 60_000;

/** Seconds, for locks that do not say. */
const DEFAULT_HEARTBEAT_TIMEOUT = 10;

/** Milliseconds since 1970 by the server's clock, or earlier: never later than the truth. */
export type ServerTime = () => number;

/** The server's time from one that it stated before now. @param stated milliseconds since 1970 */
export function serverTimeFrom(stated: number): ServerTime {
  const since = performance.now();
  return () => stated + performance.now() - since;
}

/** A workflow that measured. Without a run id the newest run of it is meant. */
interface Measuring {
  workflowId: string;
  runId?: string;
}

/** One whose instrument may still run, although nobody waits for it. */
interface Lingering extends Measuring {
  /** Null while it is open. */
  closedAt: Date | null;
}

/** Ends that a workflow's own code came to: it waits for every measurement that it asked for. */
const ownEnds: readonly WorkflowExecutionStatusName[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

export type ChipGuard = ReturnType<typeof createChipGuard>;

/**
 * Says when a chip is quiet, so that no run measures beside what an earlier one left: when every stage of the last
 * holder closed by its own code. One that was terminated or timed out told no instrument to stop; its workers hear of
 * that within a heartbeat time-out after its end.
 */
export function createChipGuard(dependencies: {
  engine: Engine;
  locks: LockStore;
  results: Pick<TaskResultStore, 'latestDeadline'>;
  commands: Pick<CommandStore, 'completed'>;
}) {
  const { engine, locks, results, commands } = dependencies;
  /** When this process first saw a workflow closed, by `performance.now()`. */
  const closedSince = new LRUCache<string, number>({ max: 1000 });

  async function describe(measuring: Measuring) {
    const workflow = await describeWorkflow(engine, measuring.workflowId, measuring.runId);
    if (!workflow) return null;
    const { name } = workflow.status;
    const closedAt = isOpenWorkflow(name) ? null : (workflow.closeTime ?? new Date());
    return { ...measuring, closedAt, own: ownEnds.includes(name) };
  }

  async function lingeringOf(all: readonly Measuring[]): Promise<Lingering[]> {
    const described = (await Promise.all(all.map(describe))).filter((each) => each !== null);
    return described.filter(({ own }) => !own);
  }

  /**
   * What may still measure for a holder: of the stages of a long run those that have not said that they are done. A
   * number may stand for a command that was no stage.
   */
  async function firstLook(lock: LockDocument): Promise<Lingering[]> {
    const done = new Set(await commands.completed(lock._id, lock.execution_id));
    const stages = Array.from({ length: lock.stages }, (_, index) => index)
      .filter((index) => !done.has(index))
      .map((index) => ({ workflowId: stageWorkflowId(lock._id, lock.execution_id, index) }));
    return lingeringOf(stages);
  }

  async function tell(
    lingering: readonly Lingering[],
    what: (workflow: ReturnType<Engine['client']['workflow']['getHandle']>) => Promise<unknown>,
  ): Promise<void> {
    for (const { workflowId, closedAt } of lingering) {
      if (closedAt !== null) continue;
      try {
        await withinDeadline(engine, () => what(engine.client.workflow.getHandle(workflowId)));
      } catch (thrown) {
        if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      }
    }
  }

  /**
   * Looks after what a run leaves when it ends. Unless the chip is quiet, its open stages are cancelled and its lock
   * becomes `abandoned`: it may write no more, and the next run waits. Safe to run twice.
   * @returns whether the chip is quiet
   */
  async function leave(lock: LockDocument): Promise<boolean> {
    const lingering = await firstLook(lock);
    if (lingering.length === 0) return true;
    const now = new Date();
    const deadline = await results.latestDeadline(lock._id, lock.execution_id, now);
    const end_by = new Date(Math.max(now.getTime(), deadline?.getTime() ?? 0) + ENDING_GRACE);
    await locks.abandon(lock, end_by);
    await tell(lingering, (workflow) => workflow.cancel());
    return false;
  }

  return {
    leave,

    /**
     * Waits for what an earlier holder left. What does not end in time is terminated.
     *
     * A stage that closed by its own code has waited until its instruments stopped. After one that was terminated, workers
     * hear of it within a heartbeat timeout. That time is counted by the server's clock, or from the moment at which this
     * process saw the stage closed: a worker's clock may be off by any amount.
     *
     * @param serverTime null where it is not known
     * @returns asks whether the chip is quiet by now; stages that have closed are asked about once
     */
    watch(serverTime: ServerTime | null): (lock: LockDocument) => Promise<boolean> {
      let seen: { epoch: number; lingering: Lingering[] } | null = null;
      /** Milliseconds for which a workflow has been closed, at least. */
      const closedFor = ({ workflowId, closedAt }: Lingering): number => {
        if (closedAt === null) return 0;
        const first = closedSince.get(workflowId) ?? performance.now();
        closedSince.set(workflowId, first);
        const byServer = serverTime === null ? 0 : serverTime() - closedAt.getTime();
        return Math.max(byServer, performance.now() - first);
      };
      return async (lock) => {
        // Its run ended, and nobody has looked after what it left.
        if (lock.state === 'held' && (await leave(lock))) return true;
        const again = seen?.epoch === lock.epoch ? seen.lingering : null;
        const lingering = again ? await lingeringOf(again) : await firstLook(lock);
        seen = { epoch: lock.epoch, lingering };
        if (lock.end_by && lock.end_by.getTime() < Date.now()) {
          await tell(lingering, (workflow) => workflow.terminate('it did not leave the chip in time'));
        }
        const limit = (lock.heartbeat_timeout ?? DEFAULT_HEARTBEAT_TIMEOUT) * 1000;
        return lingering.every((each) => each.closedAt !== null && closedFor(each) >= limit);
      };
    },

    /** Terminates the stages of a holder that are open. */
    async terminateStages(lock: LockDocument, reason: string): Promise<void> {
      await tell(await firstLook(lock), (workflow) => workflow.terminate(reason));
    },
  };
}
