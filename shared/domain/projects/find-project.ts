import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { ProjectDocument } from './model.ts';
import type { ProjectStore } from './store.ts';

/** A project by its id, without checking a membership. @throws not_found */
export async function findProject(
  projects: Pick<ProjectStore, 'find'>,
  projectId: ProjectId,
): Promise<ProjectDocument> {
  const project = await projects.find(projectId);
  if (!project) throw new CalibronError('not_found', 'There is no such project.');
  return project;
}
