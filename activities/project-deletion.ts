import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { deletionIndexes, type Projects } from '../shared/domain/projects/index.ts';
import type { Settings } from '../shared/kernel/config.ts';
import type { CollectionIndexes, Db } from '../shared/kernel/database.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { lockWorkflowId } from '../shared/kernel/engine/workflow-ids.ts';
import { isUuid } from '../shared/kernel/ids.ts';
import type { DeletionActivities } from './contracts/deletion.ts';

/** Documents that one command removes: few enough to take well under a command's time limit. */
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

  /** Ends what else works for the project. The engine's list may lag behind; the second sweep sees the rest. */
  async function endWorkflows(projectId: string): Promise<void> {
    const query = `ProjectId = "${projectId}" AND ExecutionStatus = "Running"`;
    for await (const { workflowId } of engine.client.workflow.list({ query })) {
      if (workflowId === lockWorkflowId(projectId)) continue;
      await ignoringNotFound(
        engine.client.workflow.getHandle(workflowId).terminate('the project was deleted'),
      );
    }
  }

  /** A schedule's memo names its project. */
  async function removeSchedules(projectId: string): Promise<void> {
    for await (const { scheduleId, memo } of engine.client.schedule.list()) {
      if (memo?.['project_id'] !== projectId) continue;
      await ignoringNotFound(engine.client.schedule.getHandle(scheduleId).delete());
    }
  }

  /** The `_id` of everything in a project begins with the project's, so one range holds it all. */
  async function removeDocuments(projectId: string): Promise<void> {
    const inProject = { _id: { $gte: projectId, $lt: `${projectId}\uffff` } };
    for (const { collection } of collections) {
      if (collection === deletionIndexes.collection) continue;
      const documents = db.collection<{ _id: string }>(collection);
      for (;;) {
        const found = await documents
          .find(inProject, { projection: { _id: 1 } })
          .limit(BATCH)
          .toArray();
        if (found.length === 0) break;
        await documents.deleteMany({ _id: { $in: found.map((each) => each._id) } });
      }
    }
  }

  async function removeFiles(projectId: string): Promise<void> {
    for (const root of [settings.CALIB_DATA_PATH, join(settings.DATA_DIR, 'flows')]) {
      await rm(join(root, projectId), { recursive: true, force: true });
    }
  }

  return {
    /** Removes what a project owns: schedules and other workflows, so that nothing adds to it; records; files. */
    async removeProject({ project_id }) {
      if (!isUuid(project_id)) throw new Error('this is not the id of a project');
      await deletion.note(project_id);
      await hide(project_id);
      await removeSchedules(project_id);
      await endWorkflows(project_id);
      await removeDocuments(project_id);
      await removeFiles(project_id);
    },

    /** Comes last: nothing is left to be resumed. */
    async forgetDeletion({ project_id }) {
      await deletion.forget(project_id);
    },
  };
}

/** Waits for something to be ended; what is not there any more has ended already. */
async function ignoringNotFound(ending: Promise<unknown>): Promise<void> {
  try {
    await ending;
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError) && !(thrown instanceof ScheduleNotFoundError))
      throw thrown;
  }
}
