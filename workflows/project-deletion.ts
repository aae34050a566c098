import { CancellationScope, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { ProjectDeletionInput } from '../shared/domain/projects/model.ts';
import { deleting } from './policies.ts';

/**
 * Deletes everything that a project owns. The workflow id is that of the project's lock, so no run can start meanwhile. It
 * cannot be cancelled, because half a project is useless.
 */
export async function projectDeletion({ project_id, settle }: ProjectDeletionInput): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    setCurrentDetails('Removing records and files.');
    await deleting('remove records and files').removeProject({ project_id });
    setCurrentDetails('Waiting for what was under way, to remove what it still writes.');
    await sleep(settle * 1000);
    await deleting('remove what came late').removeProject({ project_id });
    await deleting('close the deletion').forgetDeletion({ project_id });
    setCurrentDetails('The project is gone.');
  });
}
