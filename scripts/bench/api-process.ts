import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { project as projectAnswer } from '../../shared/domain/projects/model.ts';
import { type ProjectId, userIdSchema } from '../../shared/kernel/ids.ts';
import { eventually, type Laboratory } from '../../test/support/laboratory.ts';
import { accessTokenOf } from '../demo/access-token.ts';
import { freePort } from '../engines/processes.ts';
import { programs } from '../programs.ts';

const administrator = { username: 'admin', password: 'correct horse battery' };

const account = z.object({ user_id: userIdSchema, username: z.string() });

const NO_LIMIT = '100000000';

/** Settings of an API without rate limits. */
export const UNLIMITED = {
  RATE_LIMIT_TOKEN: NO_LIMIT,
  RATE_LIMIT_USER: NO_LIMIT,
  RATE_LIMIT_ADDRESS: NO_LIMIT,
};

/** An API in a separate process, with a project of the administrator. */
export interface BenchedApi {
  pid: number;
  base: string;
  /** Headers of requests in the project. */
  headers: { authorization: string; 'x-project-id': ProjectId };
}

/** Starts an API of the laboratory and runs `body`, which uses it in a new or an existing project. */
export async function withApi<T>(
  lab: Laboratory,
  { settings, project }: { settings: Readonly<Record<string, string>>; project?: ProjectId },
  body: (api: BenchedApi) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const api = spawn(process.execPath, [programs.api], {
    env: {
      ...process.env,
      ...lab.variables,
      API_PORT: String(port),
      ADMIN_USERNAME: administrator.username,
      ADMIN_PASSWORD: administrator.password,
      LOG_LEVEL: 'WARN',
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const endWithThis = () => api.kill('SIGKILL');
  process.once('exit', endWithThis);
  try {
    await eventually(async () => (await fetch(`${base}/healthz`).catch(() => null))?.ok);
    return await body({ pid: api.pid ?? 0, base, headers: await enter(lab, base, project) });
  } finally {
    api.kill('SIGTERM');
    await once(api, 'exit');
    process.off('exit', endWithThis);
  }
}

/** Logs in, and creates a project if none is given. @returns the headers of requests in the project */
async function enter(lab: Laboratory, base: string, entered?: ProjectId): Promise<BenchedApi['headers']> {
  const authorization = `Bearer ${await accessTokenOf(base, administrator)}`;
  if (entered !== undefined) {
    const me = account.parse(await (await fetch(`${base}/auth/me`, { headers: { authorization } })).json());
    await lab.areas.projects.ensure(me, { project_id: entered, name: entered });
    return { authorization, 'x-project-id': entered };
  }
  const created = await fetch(`${base}/projects`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Measured' }),
  });
  return { authorization, 'x-project-id': projectAnswer.parse(await created.json()).project_id };
}
