import type { FastifySerializerCompiler } from 'fastify';
import { z } from 'zod';
import { isObject } from './json-schemas.ts';

/** A value without what its schema does not name. */
type Trim = (value: unknown) => unknown;

/** What the schema takes as it is. */
const whole: Trim = (value) => value;

/**
 * The text of an answer: the fields that its schema names, in its order, and no others. The answer's values are not
 * checked again: they come from our own code, and the tests compare every answer with the document of the interface.
 */
export function serializeAnswers(
  replacer?: (key: string, value: unknown) => unknown,
): FastifySerializerCompiler<z.ZodType | { properties: z.ZodType }> {
  return ({ schema }) => {
    const trim = trimOf(schema instanceof z.ZodType ? schema : schema.properties);
    return (answer: unknown) => JSON.stringify(trim(answer), replacer);
  };
}

/** What was made of each schema; null while it is being made. */
const made = new WeakMap<z.ZodType, Trim | null>();

/** How an answer becomes what its schema names. A schema that turns values into others does that here too. */
export function trimOf(schema: z.ZodType): Trim {
  const known = made.get(schema);
  if (known) return known;
  // A schema that leads back to itself finds itself half made.
  if (known === null) return (value) => made.get(schema)?.(value);
  made.set(schema, null);
  const trim = make(schema);
  made.set(schema, trim);
  return trim;
}

function make(schema: z.ZodType): Trim {
  if (schema instanceof z.ZodObject) return trimOfObject(schema);
  if (schema instanceof z.ZodArray) return ofEach(inner(schema.element));
  if (schema instanceof z.ZodRecord) return ofValues(inner(schema.valueType));
  if (
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return ofPresent(inner(schema.unwrap()));
  }
  if (schema instanceof z.ZodUnion) return trimOfUnion(schema.options.map((option) => toType(option)));
  if (schema instanceof z.ZodLazy) return inner(schema.unwrap());
  return isPlain(schema) ? whole : (value) => z.encode(schema, value);
}

/** Kinds of schema whose values stand in the answer as they are. */
const plainKinds = [
  z.ZodString,
  z.ZodStringFormat,
  z.ZodNumber,
  z.ZodNumberFormat,
  z.ZodBoolean,
  z.ZodNull,
  z.ZodUndefined,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodUnknown,
  z.ZodAny,
] as const;

const isPlain = (schema: z.ZodType) => plainKinds.some((kind) => schema instanceof kind);

function toType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('a schema of an answer is not of zod');
}

const inner = (schema: unknown): Trim => trimOf(toType(schema));

const ofPresent = (trim: Trim): Trim =>
  trim === whole ? whole : (value) => (value === null || value === undefined ? value : trim(value));

const ofEach = (trim: Trim): Trim =>
  trim === whole ? whole : (value) => (Array.isArray(value) ? value.map(trim) : value);

const ofValues = (trim: Trim): Trim =>
  trim === whole
    ? whole
    : (value) =>
        isObject(value)
          ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, trim(each)]))
          : value;

function trimOfObject(schema: z.ZodObject): Trim {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, inner(field)] as const);
  const { catchall } = schema._zod.def;
  const others = catchall === undefined || catchall instanceof z.ZodNever ? null : inner(catchall);
  const named = new Set(Object.keys(schema.shape));
  return (value) => {
    if (!isObject(value)) return value;
    const trimmed: Record<string, unknown> = {};
    for (const [name, trim] of fields) {
      const field = value[name];
      if (field !== undefined) trimmed[name] = trim(field);
    }
    if (others === null) return trimmed;
    const rest = Object.entries(value).filter(([name]) => !named.has(name));
    return Object.fromEntries([
      ...Object.entries(trimmed),
      ...rest.map(([name, each]) => [name, others(each)] as const),
    ]);
  };
}

function trimOfUnion(options: readonly z.ZodType[]): Trim {
  const trims = options.map((option) => [option, trimOf(option)] as const);
  if (trims.every(([, trim]) => trim === whole)) return whole;
  return (value) => {
    const [, trim = whole] = trims.find(([option]) => option.safeParse(value).success) ?? [];
    return trim(value);
  };
}
