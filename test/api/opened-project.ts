import type { ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, type Person, startApi } from './harness.ts';

/** An API with a project and its owner. */
export async function openProject(
  options: Parameters<typeof startApi>[0] = {},
): Promise<{ api: Api; owner: Person; project: ProjectId }> {
  const api = await startApi(options);
  const owner = await api.makePerson();
  return { api, owner, project: await api.makeProject(owner) };
}

/** The same with somebody who may only look. */
export async function openSharedProject(options: Parameters<typeof startApi>[0] = {}) {
  const opened = await openProject(options);
  const viewer = await opened.api.makePerson();
  await opened.api.addMember(opened.project, viewer, 'viewer');
  return { ...opened, viewer };
}
