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
  const trims = options.map((option) => ({ option, trim: trimOf(option), required: requiredOf(option) }));
  if (trims.every(({ trim }) => trim === whole)) return whole;
  const covers = options.map((option, index) =>
    options.slice(index + 1).every((later) => doesCover(option, later)),
  );
  return (value) => {
    const mayBe = ({ required }: { required: readonly string[] }) =>
      required.length === 0 || (isObject(value) && required.every((name) => value[name] !== undefined));
    // To read a large value by a schema costs as much as all the rest: where the fields tell, nothing is read.
    const first = trims.findIndex(mayBe);
    const possible = trims[first];
    if (possible && possible.required.length > 0 && covers[first]) return possible.trim(value);
    const fitting = trims.find((each) => mayBe(each) && each.option.safeParse(value).success);
    return fitting ? fitting.trim(value) : value;
  };
}

/** Fields without which a value cannot be of the schema. */
function requiredOf(schema: z.ZodType): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const fields = Object.entries(schema.shape);
  return fields.filter(([, field]) => !toType(field).safeParse(undefined).success).map(([name]) => name);
}

/**
 * Whether a value that has the required fields of one object can be taken by it though it may be of the other: it takes
 * all that the other would, each field in the same way, and nothing that only the one may have beside.
 */
function doesCover(one: z.ZodType, other: z.ZodType): boolean {
  if (!(one instanceof z.ZodObject && other instanceof z.ZodObject) || other._zod.def.catchall) return false;
  const { shape } = one;
  const required = requiredOf(one);
  if (Object.keys(shape).some((name) => !(name in other.shape || required.includes(name)))) return false;
  return Object.entries(other.shape).every(
    ([name, field]) => shape[name] !== undefined && inner(shape[name]) === inner(field),
  );
}
