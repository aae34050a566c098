import { once } from 'node:events';
import { Agent, get as request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';
import { UNLIMITED, withApi } from './api-process.ts';

/** Maximum number of connections that the client keeps open. */
const CONNECTIONS = 6;

export type Query = Readonly<Record<string, string | number>>;
/** Sends a GET request. @returns the response body, which is JSON */
export type Get = (path: string, query?: Query) => Promise<string>;

/** Starts an API of the laboratory and runs `body` with a client, which is a member of the project, and the API's pid. */
export function withApiClient<T>(
  lab: Laboratory,
  project: ProjectId,
  body: (get: Get, pid: number) => Promise<T>,
): Promise<T> {
  return withApi(lab, { settings: UNLIMITED, project }, async ({ base, headers, pid }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const get: Get = async (path, query = {}) => {
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      ).toString();
      const url = `${base}${path}${search && `?${search}`}`;
      const sent = request(url, { agent, headers });
      const [response] = await once(sent, 'response');
      const content = await text(response);
      if (response.statusCode !== 200) throw new Error(`${path} returned ${response.statusCode}: ${content}`);
      return content;
    };
    try {
      return await body(get, pid);
    } finally {
      agent.destroy();
    }
  });
}
