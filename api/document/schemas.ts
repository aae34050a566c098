import { isObject } from '../plugins/json-schemas.ts';

/** A JSON schema that is not just `true` or `false`. */
export type JsonSchema = Record<string, unknown>;
/** Schemas by the name that they have in the document. */
export type NamedSchemas = Record<string, JsonSchema>;

const REFERENCE = '#/components/schemas/';

/** The name that a schema refers to, if it refers to one. */
export function referredName(schema: unknown): string | undefined {
  if (!isObject(schema) || typeof schema['$ref'] !== 'string') return undefined;
  const { $ref } = schema;
  return $ref.startsWith(REFERENCE) ? $ref.slice(REFERENCE.length) : undefined;
}

/** A schema that refers to a named one. */
export const referenceTo = (name: string): JsonSchema => ({ $ref: `${REFERENCE}${name}` });

/** Applies a change to every schema inside a schema, innermost first, and then to the schema itself. */
export function changedSchema(schema: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  if (!isObject(schema)) return schema;
  const inner = (part: unknown): unknown => changedSchema(part, change);
  return change(
    Object.fromEntries(
      Object.entries(schema).map(([keyword, part]) => {
        if (keyword === 'properties' && isObject(part)) {
          return [
            keyword,
            Object.fromEntries(Object.entries(part).map(([name, each]) => [name, inner(each)])),
          ];
        }
        if (/^(?:anyOf|oneOf|allOf|prefixItems)$/.test(keyword) && Array.isArray(part)) {
          return [keyword, part.map(inner)];
        }
        return [keyword, /^(?:items|additionalProperties|not)$/.test(keyword) ? inner(part) : part];
      }),
    ),
  );
}

/** Names of all schemas to which a part of a document refers, directly or through others. */
export function reachableNames(part: unknown, schemas: Readonly<NamedSchemas>): Set<string> {
  const found = new Set<string>();
  const visit = (each: unknown): void => {
    for (const [, name = ''] of JSON.stringify(each ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name]);
    }
  };
  visit(part);
  return found;
}

/** A part of a document whose references lead to other names. */
export function renamed<Part>(part: Part, names: ReadonlyMap<string, string>): Part {
  if (names.size === 0) return part;
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value;
    const name = value.slice(REFERENCE.length);
    return `${REFERENCE}${names.get(name) ?? name}`;
  });
}
