import type { FastifySerializerCompiler } from 'fastify';
import { z } from 'zod';
import { isObject } from './json-schemas.ts';

/** Removes from a value whatever its schema does not define. */
type Trim = (value: unknown) => unknown;

/** For schemas that leave a value unchanged. */
const whole: Trim = (value) => value;

/**
 * Serializes a response with exactly the fields of its schema, in schema order. Values are not validated: they come from
 * our own code, and the tests compare every response with the OpenAPI document.
 */
export function serializeAnswers(
  replacer?: (key: string, value: unknown) => unknown,
): FastifySerializerCompiler<z.ZodType | { properties: z.ZodType }> {
  return ({ schema }) => {
    const trim = trimOf(schema instanceof z.ZodType ? schema : schema.properties);
    return (answer: unknown) => JSON.stringify(trim(answer), replacer);
  };
}

/** The function compiled for each schema; null during compilation. */
const made = new WeakMap<z.ZodType, Trim | null>();

/** Compiles a schema into a function that reduces a response to it. Transforms of the schema are applied too. */
export function trimOf(schema: z.ZodType): Trim {
  const known = made.get(schema);
  if (known) return known;
  // A recursive schema: look up the compiled function later.
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

/** Schema types whose values are sent unchanged. */
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
    // Parsing a large value costs as much as everything else, so skip it if the fields identify the option.
    const first = trims.findIndex(mayBe);
    const possible = trims[first];
    if (possible && possible.required.length > 0 && covers[first]) return possible.trim(value);
    const fitting = trims.find((each) => mayBe(each) && each.option.safeParse(value).success);
    return fitting ? fitting.trim(value) : value;
  };
}

/** Required fields of a schema. */
function requiredOf(schema: z.ZodType): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const fields = Object.entries(schema.shape);
  return fields.filter(([, field]) => !toType(field).safeParse(undefined).success).map(([name]) => name);
}

/**
 * Whether a value with the required fields of `one` can be trimmed by it even if it matches `other`: `one` has every
 * field of `other`, trims each the same way, and adds no optional field of its own.
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
