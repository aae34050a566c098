import { createSerializerCompiler } from 'fastify-type-provider-zod';

/** Serializer of the few routes that leave out what is null: lists of results, and of multiplexers. */
export const withoutNulls = createSerializerCompiler({
  replacer: (_key: string, value: unknown) => (value === null ? undefined : value),
});
