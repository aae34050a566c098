import { z } from 'zod';

const refusal = z.object({ detail: z.union([z.string(), z.array(z.object({ msg: z.string() }))]) });

export interface Request {
  method?: 'GET' | 'POST';
  projectId?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Client = ReturnType<typeof createClient>;

/** An API client like that of any other program. */
export function createClient(address: string, token: string) {
  async function send(path: string, request: Request): Promise<Response> {
    const { method = 'GET', projectId, body, headers } = request;
    return fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(projectId !== undefined && { 'x-project-id': projectId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  async function refused(path: string, answer: Response): Promise<Error> {
    const text = await answer.text();
    const { data } = refusal.safeParse(jsonOf(text));
    const detail =
      typeof data?.detail === 'string' ? data.detail : data?.detail.map(({ msg }) => msg).join(' ');
    return new Error(`${path} answered ${answer.status}: ${detail ?? text.slice(0, 200)}`);
  }

  return {
    /** Sends a request that must succeed. @throws an error with the service's message */
    async ask<T>(path: string, schema: z.ZodType<T>, request: Request = {}): Promise<T> {
      const answer = await send(path, request);
      if (!answer.ok) throw await refused(path, answer);
      return schema.parse(await answer.json());
    },

    /** Like `ask`, but returns null if the resource does not exist. */
    async find<T>(path: string, schema: z.ZodType<T>, request: Request = {}): Promise<T | null> {
      const answer = await send(path, request);
      if (answer.status === 404) return null;
      if (!answer.ok) throw await refused(path, answer);
      return schema.parse(await answer.json());
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
