import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { shareOfUser } from '../../kernel/engine/shares.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE, lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import type { ExecutionId, ProjectId, UserId } from '../../kernel/ids.ts';
import { projectBusy } from '../runs/busy-rules.ts';
import type { ProjectDeletionInput } from './model.ts';
import { projectDeletion } from './workflow-model.ts';

export const deletionIndexes: CollectionIndexes = { collection: 'project_deletions', indexes: [] };

/**
 * Seconds between the two sweeps of a deletion. No request and no activity of a run lasts longer, so that a write that
 * was in progress when the project was deleted has ended by then.
 */
const SETTLE_TIME = 660;

/** The action to perform once the project is free. */
const AFTERWARDS = 'delete the project';

export interface DeletionDependencies {
  db: Db;
  engine: Engine;
  /** The run that holds a project; a run that has reported its end is awaited instead. */
  lastingHolder(projectId: ProjectId): Promise<{ execution_id: ExecutionId } | null>;
  /** Hides the project from all users, and clears it as a default. */
  hide(projectId: ProjectId): Promise<void>;
  /** In seconds; shorter in tests. */
  settle?: number | undefined;
}

export type ProjectDeletion = ReturnType<typeof createProjectDeletion>;

/**
 * Deletion of projects. It is a workflow under the id of the project's lock: the engine refuses it while a run holds the
 * project, and refuses runs while it works. As soon as the request is answered the project is gone for all users; its
 * records and files are deleted afterwards.
 */
export function createProjectDeletion({ db, engine, lastingHolder, hide, settle }: DeletionDependencies) {
  const deletions = db.collection<{ _id: ProjectId; requested_at: Date }>(deletionIndexes.collection);

  /**
   * Starts the workflow; false if the project is held.
   * @param userId the user whose share it uses
   */
  async function start(projectId: ProjectId, userId: string): Promise<boolean> {
    const input: ProjectDeletionInput = { project_id: projectId, settle: settle ?? SETTLE_TIME };
    try {
      await withinDeadline(engine, () =>
        startWorkflow(engine, projectDeletion, {
          workflowId: lockWorkflowId(projectId),
          taskQueue: CALIBRATION_QUEUE,
          priority: shareOfUser(userId),
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          typedSearchAttributes: searchAttributes({ ProjectId: projectId }),
          staticSummary: `Deletion of project ${projectId}`,
          args: [input],
        }),
      );
      return true;
    } catch (thrown) {
      if (thrown instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw thrown;
    }
  }

  async function isUnderWay(projectId: ProjectId): Promise<boolean> {
    const holder = await describeWorkflow(engine, lockWorkflowId(projectId));
    return holder?.type === projectDeletion.name;
  }

  return {
    /** @throws project_busy if a run holds one of the projects */
    async assertFree(projectIds: readonly ProjectId[]): Promise<void> {
      for (const projectId of projectIds) {
        const holder = await lastingHolder(projectId);
        if (holder) throw projectBusy(holder, AFTERWARDS);
      }
    },

    /** Deletes a project for a user; idempotent. @throws project_busy if a run holds it */
    async delete(projectId: ProjectId, userId: UserId): Promise<void> {
      if (!(await start(projectId, userId)) && !(await isUnderWay(projectId))) {
        const holder = await lastingHolder(projectId);
        if (holder || !(await start(projectId, userId))) throw projectBusy(holder, AFTERWARDS);
      }
      await hide(projectId);
    },

    /** Records a deletion until it is finished. */
    async note(projectId: ProjectId): Promise<void> {
      await retryDuplicateKey(() =>
        deletions.updateOne(
          { _id: projectId },
          { $setOnInsert: { requested_at: new Date() } },
          { upsert: true },
        ),
      );
    },

    async forget(projectId: ProjectId): Promise<void> {
      await deletions.deleteOne({ _id: projectId });
    },

    /** Restarts recorded deletions whose workflow is gone, for example after a terminate. Each has a share of its own. */
    async resume(): Promise<void> {
      for (const { _id } of await deletions.find({}).toArray()) await start(_id, _id);
    },
  };
}
