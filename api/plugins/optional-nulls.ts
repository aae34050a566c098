import { z } from 'zod';
import { isObject, takesNull } from './json-schemas.ts';

/**
 * Removes nulls from optional fields whose schema does not accept null, because many clients send null for a field that
 * they omit.
 */
export function withoutLeftOut(schema: z.ZodType, given: unknown): unknown {
  const bare = bareOf(schema);
  if (bare instanceof z.ZodArray && Array.isArray(given)) {
    const { element } = bare;
    return element instanceof z.ZodType ? given.map((each) => withoutLeftOut(element, each)) : given;
  }
  if (!(bare instanceof z.ZodObject) || !isObject(given)) return given;
  const fields: Record<string, unknown> = bare.shape;
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!(field instanceof z.ZodType)) return [[name, value]];
      if (value === null && isOptional(field) && !field.safeParse(null).success) return [];
      return [[name, withoutLeftOut(field, value)]];
    }),
  );
}

/** The schema inside its wrappers: optional, default, nullable, and transforms before or after it. */
export function bareOf(schema: z.ZodType): z.ZodType {
  const inner =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
      ? schema.unwrap()
      : schema instanceof z.ZodPipe
        ? schema.in instanceof z.ZodTransform
          ? schema.out
          : schema.in
        : undefined;
  return inner instanceof z.ZodType ? bareOf(inner) : schema;
}

const isOptional = (field: z.ZodType) => field.safeParse(undefined).success;

/** The JSON schema of a body, with every property that is not required made nullable. */
export function withNullsForLeftOut(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullsForLeftOut);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, withNullsForLeftOut(value)]),
  );
  const { properties } = inner;
  if (!isObject(properties)) return inner;
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return {
    ...inner,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        required.has(name) || takesNull(property) ? property : nullable(property),
      ]),
    ),
  };
}

/**
 * Makes a property nullable. Its description and default stay outside the `anyOf`; the default of a list or an object is
 * left out, because generators of clients cannot read one there.
 */
function nullable(property: unknown): unknown {
  if (!isObject(property)) return property;
  const { description, default: byDefault, ...form } = property;
  if (Object.keys(form).length === 0) return property; // anything
  return {
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined || isObject(byDefault) || Array.isArray(byDefault)
      ? {}
      : { default: byDefault }),
    anyOf: [form, { type: 'null' }],
  };
}
