import { expect } from 'vitest';
import { z } from 'zod';
import { seedQubits } from '../../shared/domain/chips/index.ts';
import { type ProjectId, projectIdSchema } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { administrator, commonLaboratory } from './common-laboratory.ts';
import { buildCheckedServer } from './documented-answers.ts';
import { projectNamed } from './ids.ts';
import type { Laboratory } from './laboratory.ts';

export type LaboratoryApi = Awaited<ReturnType<typeof openLaboratoryApi>>;

/** The API over HTTP of the common laboratory, or of one that has its administrator too, who is logged in. */
export async function openLaboratoryApi(given?: Laboratory) {
  const lab = given ?? (await commonLaboratory());
  const server = await buildCheckedServer({ ...lab, log: createLog('test', 'SILENT') });
  const base = await server.listen({ host: '127.0.0.1', port: 0 });
  const login = await fetch(`${base}/auth/login`, {
    method: 'POST',
    body: new URLSearchParams(administrator),
  });
  const { access_token } = z.object({ access_token: z.string() }).parse(await login.json());
  let project = projectNamed('');

  /** Asks as the administrator, of the project once there is one; what has a body is posted. */
  async function ask(path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${access_token}`,
        ...(project ? { 'x-project-id': project } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) expect.fail(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  return {
    lab,
    base,
    ask,
    /** Makes a project with a chip of 16 qubits of which these have start values. @returns its id */
    async newProject(chipId: string, qids: readonly string[]): Promise<ProjectId> {
      const created = await ask('/projects', { name: `Lab ${newId()}` });
      expect(created.status).toBe(201);
      project = z.object({ project_id: projectIdSchema }).parse(await created.json()).project_id;
      await ask('/chips', { chip_id: chipId, size: 16 });
      await seedQubits(
        lab.seedStores,
        { project_id: project, chip_id: chipId },
        new Map(qids.map((qid) => [qid, lab.simulator.startValues(chipId, qid, new Date())])),
      );
      return project;
    },
    /** Ends the API; the laboratory stays. */
    close: () => server.close(),
  };
}
