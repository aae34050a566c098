import { type WorkflowExecutionStatusName, WorkflowNotFoundError } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { stageWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import type { CommandStore } from '../executions/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { LockDocument, LockStore } from './lock-store.ts';

/**
 * Grace period in milliseconds after the limits of a run's measurements. Stages that were asked to end and are still open after
 * it are terminated.
 */
export const ENDING_GRACE = 60_000;

/** Seconds, for locks that have no `heartbeat_timeout`. */
const DEFAULT_HEARTBEAT_TIMEOUT = 10;

/** Lower bound of the server's time, in milliseconds since 1970. */
export type ServerTime = () => number;

/** Continues the server's time from an earlier reading. @param stated that reading, in milliseconds since 1970 */
export function serverTimeFrom(stated: number): ServerTime {
  const since = performance.now();
  return () => stated + performance.now() - since;
}

/** A workflow that measured. Without a run id, its newest run is meant. */
interface Measuring {
  workflowId: string;
  runId?: string;
}

/** A workflow whose instrument may still run although no workflow waits for it. */
interface Lingering extends Measuring {
  /** Null while the workflow is open. */
  closedAt: Date | null;
}

/** Statuses in which a workflow's own code ended: it has waited for every measurement that it started. */
const ownEnds: readonly WorkflowExecutionStatusName[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

export type ChipGuard = ReturnType<typeof createChipGuard>;

/**
 * Decides when a chip is quiet, so that no run measures while an earlier one still does. A chip is quiet when every stage of the
 * last holder was closed by its own code. A stage that was terminated or timed out has not stopped its instruments; its workers
 * learn of it within a heartbeat timeout after its end.
 */
export function createChipGuard(dependencies: {
  engine: Engine;
  locks: LockStore;
  results: Pick<TaskResultStore, 'latestDeadline'>;
  commands: Pick<CommandStore, 'completed'>;
}) {
  const { engine, locks, results, commands } = dependencies;
  /** When this process first saw each workflow closed, by `performance.now()`. */
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
   * The stages of a holder that may still measure, except those recorded as completed. An index may belong to a command that was
   * not a stage.
   */
  async function firstLook(lock: LockDocument): Promise<Lingering[]> {
    const done = new Set(await commands.completed(lock._id, lock.execution_id));
    const stages = Array.from({ length: lock.stages }, (_, index) => index)
      .filter((index) => !done.has(index))
      .map((index) => ({ workflowId: stageWorkflowId(lock._id, lock.execution_id, index) }));
    return lingeringOf(stages);
  }

  async function actOn(
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
   * Cleans up when a run ends. Unless the chip is quiet, its open stages are cancelled and its lock becomes `abandoned`: the run
   * may no longer write, and the next run waits. Idempotent.
   * @returns whether the chip is quiet
   */
  async function leave(lock: LockDocument): Promise<boolean> {
    const lingering = await firstLook(lock);
    if (lingering.length === 0) return true;
    const now = new Date();
    const deadline = await results.latestDeadline(lock._id, lock.execution_id, now);
    const end_by = new Date(Math.max(now.getTime(), deadline?.getTime() ?? 0) + ENDING_GRACE);
    await locks.abandon(lock, end_by);
    await actOn(lingering, (workflow) => workflow.cancel());
    return false;
  }

  return {
    leave,

    /**
     * Waits for the stages that an earlier holder left open. Stages still open after the time limit are terminated.
     *
     * A stage closed by its own code has waited until its instruments stopped. After a stage was terminated, its workers learn of
     * it within a heartbeat timeout. That timeout is measured by the server's clock, or from the moment when this process saw the
     * stage closed, because a worker's clock may be off by any amount.
     *
     * @param serverTime null if unknown
     * @returns a function that checks whether the chip is quiet now; a stage closed by its own code is not checked again
     */
    watch(serverTime: ServerTime | null): (lock: LockDocument) => Promise<boolean> {
      let seen: { epoch: number; lingering: Lingering[] } | null = null;
      /** Minimum time in milliseconds since a workflow closed. */
      const closedFor = ({ workflowId, closedAt }: Lingering): number => {
        if (closedAt === null) return 0;
        const first = closedSince.get(workflowId) ?? performance.now();
        closedSince.set(workflowId, first);
        const byServer = serverTime === null ? 0 : serverTime() - closedAt.getTime();
        return Math.max(byServer, performance.now() - first);
      };
      return async (lock) => {
        // The run ended without its cleanup.
        if (lock.state === 'held' && (await leave(lock))) return true;
        const again = seen?.epoch === lock.epoch ? seen.lingering : null;
        const lingering = again ? await lingeringOf(again) : await firstLook(lock);
        seen = { epoch: lock.epoch, lingering };
        if (lock.end_by && lock.end_by.getTime() < Date.now()) {
          await actOn(lingering, (workflow) => workflow.terminate('it did not leave the chip in time'));
        }
        const limit = (lock.heartbeat_timeout ?? DEFAULT_HEARTBEAT_TIMEOUT) * 1000;
        return lingering.every((each) => each.closedAt !== null && closedFor(each) >= limit);
      };
    },

    /** Terminates the open stages of a holder. */
    async terminateStages(lock: LockDocument, reason: string): Promise<void> {
      await actOn(await firstLook(lock), (workflow) => workflow.terminate(reason));
    },
  };
}
