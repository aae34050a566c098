import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

/** Seconds for which a browser caches a preflight response. */
const PREFLIGHT_LIFE = 600;

export interface CrossOriginOptions {
  /** Pages that may call the API from a browser, as `https://host:port`. */
  origins: readonly string[];
}

/** Allows the configured origins, and no other page, to call the API from a browser. */
export const crossOrigin = fastifyPlugin(
  async (app: FastifyInstance, { origins }: CrossOriginOptions) => {
    await app.register(cors, {
      origin: [...origins],
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['x-request-id', 'retry-after', 'content-disposition', 'etag', 'link'],
      maxAge: PREFLIGHT_LIFE,
      optionsSuccessStatus: 200,
      strictPreflight: false,
    });
  },
  { name: 'cross-origin' },
);
