import { z } from 'zod';
import { seedQubits } from '../../shared/domain/chips/index.ts';
import { executionIdSchema, type ProjectId, projectIdSchema } from '../../shared/kernel/ids.ts';
import { eventually, type Laboratory } from '../../test/support/laboratory.ts';
import { accessTokenOf } from '../demo/access-token.ts';
import { createClient } from '../demo/client.ts';
import type { BenchedApi } from './api-process.ts';

const CHIP = 'CHIP';
const FLOW = 'nightly';
/** Time limit for many runs cancelled together, which end slowly on a busy machine. */
const ENDS_WITHIN_MS = 1_200_000;
const PASSWORD = 'correct horse battery';

const started = z.object({ execution_id: executionIdSchema, flow_run_id: z.string() });
const ended = z.object({ status: z.string(), message: z.string().nullable() });
const OPEN: ReadonlySet<string> = new Set(['scheduled', 'running', 'paused']);
const created = z.object({ project_id: projectIdSchema });

type Started = z.infer<typeof started>;

export type Tenant = Awaited<ReturnType<typeof openTenant>>;

/** Creates a user of a benchmarked API, who has their own projects. */
export async function openTenant(lab: Laboratory, { base, headers }: BenchedApi, username: string) {
  const admin = createClient(base, headers.authorization.replace('Bearer ', ''));
  await admin.ask('/auth/register', z.unknown(), {
    method: 'POST',
    body: { username, password: PASSWORD },
  });
  const token = await accessTokenOf(base, { username, password: PASSWORD });
  const client = createClient(base, token);

  async function saveFlow(projectId: string, code: string): Promise<void> {
    await client.ask('/flows', z.unknown(), {
      method: 'POST',
      projectId,
      body: { name: FLOW, code, flow_function_name: 'flow', chip_id: CHIP },
    });
  }

  return {
    client,
    headers: { authorization: `Bearer ${token}` },
    saveFlow,

    /** Creates a project with a seeded chip and a flow. @returns its id */
    async newProject(code: string, size: number): Promise<ProjectId> {
      const { project_id: projectId } = await client.ask('/projects', created, {
        method: 'POST',
        body: { name: `Project ${crypto.randomUUID()}` },
      });
      const { chipId } = await lab.newProject({ size, projectId, chipId: CHIP, blank: true });
      const qubits = await lab.chips.allQubitIds(projectId, chipId);
      const at = new Date();
      await seedQubits(
        lab.seedStores,
        { project_id: projectId, chip_id: chipId },
        new Map(qubits.map((qid) => [qid, lab.simulator.startValues(chipId, qid, at)])),
      );
      await saveFlow(projectId, code);
      return projectId;
    },

    /** Starts the flow of a project. */
    start: (projectId: string): Promise<Started> =>
      client.ask(`/flows/${FLOW}/execute`, started, { method: 'POST', projectId, body: {} }),

    /** Cancels a run. @throws an error with the message of a run that has already ended */
    async cancel(projectId: string, run: Started): Promise<void> {
      const { status, message } = await client.ask(`/executions/${run.execution_id}`, ended, { projectId });
      if (!OPEN.has(status)) throw new Error(`A run of the load ended as ${status}: ${message}`);
      await client.ask(`/executions/${run.flow_run_id}/cancel`, z.unknown(), { method: 'POST', projectId });
    },

    /** Waits until no run holds the project. */
    freed: (projectId: ProjectId): Promise<boolean> =>
      eventually(async () => !(await lab.runs.holder(projectId)), ENDS_WITHIN_MS),
  };
}
