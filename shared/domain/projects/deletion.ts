import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, lockWorkflowId, workflowNames } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import { projectBusy } from '../runs/busy-rules.ts';
import type { ProjectDeletionInput } from './model.ts';

export const deletionIndexes: CollectionIndexes = { collection: 'project_deletions', indexes: [] };

/**
 * Seconds between the two sweeps of a deletion. No request and no activity of a run lives longer, so what
 * was under way when the project went has written by then, or never will.
 */
const SETTLE_TIME = 660;

/** What to do once the project is free. */
const AFTERWARDS = 'delete the project';

export interface DeletionDependencies {
  db: Db;
  engine: Engine;
  /** The run that holds a project; one that has told its end is waited for. */
  lastingHolder(projectId: string): Promise<{ execution_id: string } | null>;
  /** Takes the project from everybody's view, users whose default it is included. */
  hide(projectId: string): Promise<void>;
  /** Seconds; shorter in tests. */
  settle?: number | undefined;
}

export type ProjectDeletion = ReturnType<typeof createProjectDeletion>;

/**
 * Deleting projects. The deletion is a workflow under the id of the project's lock: the engine refuses it
 * while a run holds the project, and refuses runs while it works. From the answer on the project is gone for
 * everyone; its records and files follow.
 */
export function createProjectDeletion({ db, engine, lastingHolder, hide, settle }: DeletionDependencies) {
  const deletions = db.collection<{ _id: string; requested_at: Date }>(deletionIndexes.collection);

  /** Starts the workflow; false when something holds the project. */
  async function start(projectId: string): Promise<boolean> {
    const input: ProjectDeletionInput = { project_id: projectId, settle: settle ?? SETTLE_TIME };
    try {
      await withinDeadline(engine, () =>
        engine.client.workflow.start<(given: ProjectDeletionInput) => Promise<void>>(
          workflowNames.projectDeletion,
          {
            workflowId: lockWorkflowId(projectId),
            taskQueue: CALIBRATION_QUEUE,
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            typedSearchAttributes: searchAttributes({ ProjectId: projectId }),
            staticSummary: `Deletion of project ${projectId}`,
            args: [input],
          },
        ),
      );
      return true;
    } catch (thrown) {
      if (thrown instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw thrown;
    }
  }

  async function isUnderWay(projectId: string): Promise<boolean> {
    const holder = await describeWorkflow(engine, lockWorkflowId(projectId));
    return holder?.type === workflowNames.projectDeletion;
  }

  return {
    /** @throws project_busy while a run holds one of the projects */
    async assertFree(projectIds: readonly string[]): Promise<void> {
      for (const projectId of projectIds) {
        const holder = await lastingHolder(projectId);
        if (holder) throw projectBusy(holder, AFTERWARDS);
      }
    },

    /** Deletes a project; safe to repeat. @throws project_busy while a run holds it */
    async delete(projectId: string): Promise<void> {
      if (!(await start(projectId)) && !(await isUnderWay(projectId))) {
        const holder = await lastingHolder(projectId);
        if (holder || !(await start(projectId))) throw projectBusy(holder, AFTERWARDS);
      }
      await hide(projectId);
    },

    /** Notes a deletion for as long as it takes. */
    async note(projectId: string): Promise<void> {
      await retryDuplicateKey(() =>
        deletions.updateOne(
          { _id: projectId },
          { $setOnInsert: { requested_at: new Date() } },
          { upsert: true },
        ),
      );
    },

    async forget(projectId: string): Promise<void> {
      await deletions.deleteOne({ _id: projectId });
    },

    /** Starts again what was noted but whose workflow is gone, as after a terminate. */
    async resume(): Promise<void> {
      for (const { _id } of await deletions.find({}).toArray()) await start(_id);
    },
  };
}
