import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { isObject, takesNull } from './json-schemas.ts';
import { serializeAnswers } from './serialization.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether responses omit null fields. By default they include them. */
    leavesOutNulls?: boolean;
  }
}

/** A replacer for `JSON.stringify` that omits the null fields of objects. */
export function leaveOutNulls(_key: string, value: unknown): unknown {
  return value === null ? undefined : value;
}

const serializer = serializeAnswers(leaveOutNulls);

/** Routes of the registering context omit null fields in responses, as their OpenAPI description states. */
export const leavingOutNulls = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.setSerializerCompiler(serializer);
    app.addHook('onRoute', (route) => {
      route.config = { ...route.config, leavesOutNulls: true };
    });
  },
  { name: 'left-out-nulls' },
);

/** The schemas of a route, with every nullable property of a response made optional. */
export function withOptionalNulls<Schemas extends { response?: unknown }>(schemas: Schemas): Schemas {
  return { ...schemas, response: relaxed(schemas.response) };
}

function relaxed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relaxed);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, relaxed(value)]));
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return inner;
  return { ...inner, required: required.filter((name) => !takesNull(properties[String(name)])) };
}
