import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { executionDetail } from '../../../../shared/domain/executions/model.ts';
import { isEndStatus } from '../../../../shared/domain/executions/status-rules.ts';
import { startedRun } from '../../../../shared/domain/runs/model.ts';
import { type ExecutionId, projectIdSchema } from '../../../../shared/kernel/ids.ts';
import { type LabChip, type Laboratory, oneStage } from '../../../support/laboratory.ts';

/** A client of the API at `base` that asks again while nobody answers, the engine is away or the project is held. */
export async function patientClient(
  base: string,
  lab: Laboratory,
  administrator: Readonly<Record<'username' | 'password', string>>,
) {
  const login = await fetch(`${base}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams(administrator),
  });
  const token = z.object({ access_token: z.string() }).parse(await login.json()).access_token;

  /** @throws when the answer is no success and none of those after which a client asks again */
  async function ask(project: string, path: string, body?: unknown, key?: string): Promise<unknown> {
    for (;;) {
      const answer = await fetch(`${base}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(project && { 'x-project-id': project }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => null);
      if (answer && answer.status < 300) return JSON.parse(answer.text);
      if (answer && (![409, 503].includes(answer.status) || answer.text.includes('quota_exceeded')))
        throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`);
      await wait(100);
    }
  }

  return {
    /** A project of its own with a chip and a flow of these tasks on some of its qubits. */
    async newProject(tasks: readonly string[], qids: readonly string[] = ['0']): Promise<LabChip> {
      const created = await ask('', '/projects', { name: `Lab ${crypto.randomUUID()}` });
      const { project_id } = z.object({ project_id: projectIdSchema }).parse(created);
      const place = await lab.newProject({ size: 4, projectId: project_id });
      const code = oneStage(tasks, qids);
      const flow = { name: 'short', chip_id: place.chipId, code, flow_function_name: 'flow' };
      await ask(project_id, '/flows', flow);
      return place;
    },

    /** Starts a run on a backend and waits for its end. */
    async run(
      { projectId }: LabChip,
      { key, backend }: { key: string; backend: string },
      started: (executionId: ExecutionId) => unknown,
    ): Promise<void> {
      const body = { parameters: { backend_name: backend } };
      const answer = await ask(projectId, '/flows/short/execute', body, key);
      const { execution_id } = startedRun.parse(answer);
      started(execution_id);
      for (;;) {
        const { status } = executionDetail.parse(await ask(projectId, `/executions/${execution_id}`));
        if (isEndStatus(status)) return;
        await wait(300);
      }
    },
  };
}
