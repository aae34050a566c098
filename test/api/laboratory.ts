import { lockWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { Api, Person } from './harness.ts';

export { storedExecution, storedTask } from '../support/stored-results.ts';

/** Code of the flow `rabi` that every laboratory has. */
export const code = `import type { Session } from 'calibron';

export async function rabi(session: Session) {
  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.all() });
}
`;

export type Laboratory = Awaited<ReturnType<typeof makeLaboratory>>;

/** A project with a chip and a flow, held by nobody. No worker runs, so a started run stays open. */
export async function makeLaboratory(api: Api, owner: Person, viewer: Person) {
  const project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const as = api.as(owner, project);
  await as('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 16 } });
  await as('/flows', {
    method: 'POST',
    body: { name: 'rabi', code, chip_id: 'CHIP', tags: ['daily'], default_parameters: { a: 1, b: 2 } },
  });
  const execute = (body?: unknown, headers: Record<string, string> = {}) =>
    as('/flows/rabi/execute', { method: 'POST', headers, ...(body !== undefined && { body }) });
  /** Ends the run that holds the project. */
  const free = () => api.engine.client.workflow.getHandle(lockWorkflowId(project)).terminate('test');
  return { project, as, execute, free };
}
