import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { isObject } from './json-schemas.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the list continues after this page; null if the answer has `total` or `has_more`. */
    hasNextPage: boolean | null;
  }
}

/** Query parameters with the start of a page. */
const STARTS = ['skip', 'offset'] as const;

/**
 * Adds `Link: <?…>; rel="next"` to every page of a list but the last. Paged lists are the GET routes with `limit` and
 * `skip` or `offset`. The link is relative and has only a query, so that it is correct behind any path prefix of a proxy.
 */
export const pageLinks = fastifyPlugin(
  async (app: FastifyInstance) => {
    const starts = new Map<string, string>();
    app.decorateReply('hasNextPage', null);
    app.addHook('onRoute', (route) => {
      const start = startOfPages(route);
      if (start !== undefined) starts.set(route.url, start);
    });
    app.addHook('preSerialization', async (request, reply, answer: unknown) => {
      const start = starts.get(request.routeOptions.url ?? '');
      const { query } = request;
      if (start === undefined || reply.statusCode !== 200 || !isObject(query)) return answer;
      const next = Number(query[start]) + Number(query['limit']);
      if (reply.hasNextPage ?? goesOn(answer, next)) {
        const parameters = new URLSearchParams(request.url.split('?')[1] ?? '');
        parameters.set(start, String(next));
        void reply.header('link', `<?${parameters}>; rel="next"`);
      }
      return answer;
    });
  },
  { name: 'page-links' },
);

/** The query parameter with the start of a page of this route; undefined if the route is not a paged list. */
export function startOfPages({
  method,
  schema,
}: Pick<RouteOptions, 'method' | 'schema'>): string | undefined {
  const methods = Array.isArray(method) ? method : [method];
  const query = schema?.querystring;
  if (!methods.includes('GET') || !isObject(query) || !isObject(query['shape'])) return undefined;
  const { shape } = query;
  return 'limit' in shape ? STARTS.find((name) => name in shape) : undefined;
}

/** Whether a list has entries from this position on, according to its answer. */
function goesOn(answer: unknown, position: number): boolean {
  if (!isObject(answer)) return false;
  const { total, has_more: hasMore } = answer;
  return typeof total === 'number' ? position < total : hasMore === true;
}

/**
 * A page of a list whose answer has no total. Reads one entry more than requested, to find out
 * whether the list goes on.
 */
export async function pageOfUnknown<Page extends { limit: number }, Item>(
  reply: Pick<FastifyReply, 'hasNextPage'>,
  page: Page,
  read: (page: Page) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const found = await read({ ...page, limit: page.limit + 1 });
  reply.hasNextPage = found.length > page.limit;
  return found.slice(0, page.limit);
}
