import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { z } from 'zod';
import { invalidInputBody } from '../../shared/kernel/wire.ts';

/** Addresses that others choose the query of: identity providers, and browsers that load a page. */
const TAKES_ANY_QUERY = /^\/(?:$|console(?:\/|$)|docs(?:\/|$)|auth\/oidc\/callback$)/;

/**
 * Has every route refuse query parameters that it does not know: a misspelt filter would otherwise list everything.
 */
export const knownQueries = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      if (TAKES_ANY_QUERY.test(route.url)) return;
      const query = route.schema?.querystring ?? z.object({});
      if (!(query instanceof z.ZodObject)) {
        throw new Error(`The query of ${route.url} is not described by an object schema.`);
      }
      const declared = route.schema?.response;
      const response = {
        422: invalidInputBody,
        ...(typeof declared === 'object' && declared !== null ? declared : {}),
      };
      route.schema = { ...route.schema, querystring: query.strict(), response };
    });
  },
  { name: 'known-queries' },
);
