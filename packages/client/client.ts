import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { components, operations, paths } from './schema.d.ts';

export type { components, operations, paths } from './schema.d.ts';
/** The schemas of the interface by name: `Schemas['TaskResult']`. */
export type Schemas = components['schemas'];

type Task = Schemas['ExecutionTask'];
type DetailQuery = NonNullable<operations['get_execution']['parameters']['query']>;
/** A field of a task that the query `fields` of an execution may name. */
export type TaskField = NonNullable<DetailQuery['fields']>[number] & keyof Task;
/** What `fields` leaves of an execution: its tasks have these fields only. OpenAPI cannot say that of an answer. */
export type ExecutionPart<Field extends TaskField> = Omit<Schemas['Execution'], 'task'> & {
  task: Pick<Task, Field>[];
};

/** A client of one installation. */
export interface Calibron {
  api: Client<paths>;
  /** Signs in; later requests carry the token. */
  signIn(username: string, password: string): Promise<Schemas['Token']>;
  /** Chooses the project of later requests; until then the user's default project is used. */
  useProject(projectId: string): void;
  /** Reads an execution with these fields of its tasks only, which of a large run is many times less. */
  executionPart<Field extends TaskField>(
    executionId: string,
    fields: readonly Field[],
  ): Promise<ExecutionPart<Field>>;
}

/** An error answer of the service. */
export class CalibronProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: unknown) {
    super(messageOf(detail));
    this.name = 'CalibronProblem';
    this.status = status;
    this.code = code;
  }
}

/** The detail of an error as text; of a request that is not valid it lists every problem with its place. */
function messageOf(detail: unknown): string {
  if (!Array.isArray(detail)) return typeof detail === 'string' ? detail : JSON.stringify(detail);
  const problems: readonly { loc?: readonly unknown[]; msg?: string }[] = detail;
  return problems.map(({ loc = [], msg = '' }) => `${loc.join('.')}: ${msg}`).join('; ');
}

/** @param baseUrl address of the service, with the path prefix of its proxy if it has one */
export function connect(baseUrl: string): Calibron {
  const headers = new Map<string, string>();
  const identity: Middleware = {
    onRequest({ request }) {
      for (const [name, value] of headers) request.headers.set(name, value);
      return request;
    },
    async onResponse({ response }) {
      if (response.ok || response.status === 304) return undefined;
      // What answers may be a proxy, whose page is no JSON.
      const body: { code?: string; detail?: unknown } = await response
        .clone()
        .json()
        .catch(() => ({}));
      const detail = body.detail ?? `The service answered with status ${response.status}.`;
      throw new CalibronProblem(response.status, body.code ?? 'unknown', detail);
    },
  };
  const api = createClient<paths>({ baseUrl });
  api.use(identity);
  return {
    api,
    async signIn(username, password) {
      const { data } = await api.POST('/auth/login', {
        body: { username, password },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        bodySerializer: (form) =>
          String(new URLSearchParams({ username: form.username, password: form.password })),
      });
      if (!data) throw new Error('The service answered the sign-in without a token.');
      headers.set('authorization', `Bearer ${data.access_token}`);
      return data;
    },
    useProject(projectId) {
      headers.set('x-project-id', projectId);
    },
    async executionPart(execution_id, fields) {
      const { data } = await api.GET('/executions/{execution_id}', {
        params: { path: { execution_id }, query: { fields: [...fields] } },
      });
      if (!data) throw new Error('The service answered without an execution.');
      return data;
    },
  };
}

/** The query of the next page, from the Link header of a list; null on the last page. */
export function nextPage(response: Response): URLSearchParams | null {
  const [, reference] = /<\?([^>]*)>;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  return reference === undefined ? null : new URLSearchParams(reference);
}
