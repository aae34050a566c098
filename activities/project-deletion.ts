import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { deletionIndexes, type Projects } from '../shared/domain/projects/index.ts';
import type { Settings } from '../shared/domain/settings.ts';
import type { CollectionIndexes, Db } from '../shared/kernel/database.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { lockWorkflowId } from '../shared/kernel/engine/workflow-ids.ts';
import { isUuid, type ProjectId } from '../shared/kernel/ids.ts';
import { inBatches } from '../shared/kernel/in-batches.ts';
import type { DeletionActivities } from './contracts/deletion.ts';

/** Maximum number of documents removed by one command, so that it stays well below the time limit of commands. */
const BATCH = 2000;

export interface ProjectDeletionDependencies {
  db: Db;
  engine: Engine;
  settings: Pick<Settings, 'CALIB_DATA_PATH' | 'DATA_DIR'>;
  collections: readonly CollectionIndexes[];
  projects: Pick<Projects, 'hide' | 'deletion'>;
}

/** Activities that delete a project; each is safe to run twice. */
export function createProjectDeletionActivities(
  dependencies: ProjectDeletionDependencies,
): DeletionActivities {
  const { db, engine, settings, collections, projects } = dependencies;
  const { hide, deletion } = projects;

  /** Ends other workflows of the project. The engine's list may be outdated, so a second pass finds the rest. */
  async function endWorkflows(projectId: ProjectId): Promise<void> {
    const query = `ProjectId = "${projectId}" AND ExecutionStatus = "Running"`;
    for await (const { workflowId } of engine.client.workflow.list({ query })) {
      if (workflowId === lockWorkflowId(projectId)) continue;
      await ignoringNotFound(
        engine.client.workflow.getHandle(workflowId).terminate('the project was deleted'),
      );
    }
  }

  /** A schedule's memo names its project. */
  async function removeSchedules(projectId: ProjectId): Promise<void> {
    for await (const { scheduleId, memo } of engine.client.schedule.list()) {
      if (memo?.['project_id'] !== projectId) continue;
      await ignoringNotFound(engine.client.schedule.getHandle(scheduleId).delete());
    }
  }

  /** The `_id` of every document of a project starts with the project's id, so one range covers them all. */
  async function removeDocuments(projectId: ProjectId): Promise<void> {
    const inProject = { _id: { $gte: projectId, $lt: `${projectId}\uffff` } };
    for (const { collection } of collections) {
      if (collection === deletionIndexes.collection) continue;
      const documents = db.collection<{ _id: string }>(collection);
      const idsOf = (limit: number) =>
        documents
          .find(inProject, { projection: { _id: 1 } })
          .limit(limit)
          .map(({ _id }) => _id)
          .toArray();
      await inBatches(BATCH, idsOf, (ids) => documents.deleteMany({ _id: { $in: [...ids] } }));
    }
  }

  async function removeFiles(projectId: ProjectId): Promise<void> {
    for (const root of [settings.CALIB_DATA_PATH, join(settings.DATA_DIR, 'flows')]) {
      await rm(join(root, projectId), { recursive: true, force: true });
    }
  }

  return {
    /** Removes everything that a project owns: first schedules and other workflows, so that nothing is added; records; files. */
    async removeProject({ project_id }) {
      if (!isUuid(project_id)) throw new Error('this is not the id of a project');
      await deletion.note(project_id);
      await hide(project_id);
      await removeSchedules(project_id);
      await endWorkflows(project_id);
      await removeDocuments(project_id);
      await removeFiles(project_id);
    },

    /** The last step: afterwards there is nothing to resume. */
    async forgetDeletion({ project_id }) {
      await deletion.forget(project_id);
    },
  };
}

/** Waits for an operation that ends something; it is not an error if that no longer exists. */
async function ignoringNotFound(ending: Promise<unknown>): Promise<void> {
  try {
    await ending;
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError) && !(thrown instanceof ScheduleNotFoundError))
      throw thrown;
  }
}
