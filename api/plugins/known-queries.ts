import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { z } from 'zod';
import { invalidInputBody } from '../../shared/kernel/wire.ts';

/** Addresses whose query is not under our clients' control: identity providers, and browsers that load a page. */
const TAKES_ANY_QUERY = /^\/(?:$|console(?:\/|$)|docs(?:\/|$)|auth\/oidc\/callback$)/;

/**
 * Makes every route reject unknown query parameters: a misspelt filter would otherwise list everything.
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
