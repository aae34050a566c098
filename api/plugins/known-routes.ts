import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

export interface KnownRoute {
  method: string;
  url: string;
  /** The route's own config. */
  config: FastifyContextConfig;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route that was registered after this plugin. */
    knownRoutes: KnownRoutes;
  }
}

export interface KnownRoutes {
  all(): KnownRoute[];
  /** The methods of an address, in order; empty for an unknown address. */
  methodsOf(url: string): string[];
}

/** Records every route, to distinguish an unknown address from a wrong method. */
export const knownRoutes = fastifyPlugin(
  async (app: FastifyInstance) => {
    const patterns = new Map<string, { pattern: RegExp; methods: Map<string, FastifyContextConfig> }>();
    app.addHook('onRoute', (route) => {
      const known = patterns.get(route.url) ?? { pattern: patternOf(route.url), methods: new Map() };
      for (const method of [route.method].flat()) known.methods.set(method, route.config ?? {});
      patterns.set(route.url, known);
    });
    app.decorate('knownRoutes', {
      all: () =>
        [...patterns].flatMap(([url, { methods }]) =>
          [...methods].map(([method, config]) => ({ method, url, config })),
        ),
      methodsOf(url: string) {
        const path = url.split('?', 1)[0] ?? '';
        const matching = [...patterns.values()].filter(({ pattern }) => pattern.test(path));
        return [...new Set(matching.flatMap(({ methods }) => [...methods.keys()]))].sort();
      },
    });
  },
  { name: 'known-routes' },
);

function patternOf(route: string): RegExp {
  const escaped = route.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[A-Za-z_]+/g, '[^/]+').replace(/\*/g, '.*')}/?$`);
}
