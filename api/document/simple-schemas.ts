import { isObject } from '../plugins/json-schemas.ts';
import { changedSchema, type JsonSchema, type NamedSchemas, referredName } from './schemas.ts';

const LARGEST_OF_32_BITS = 2 ** 31 - 1;

/** Described without a type, because generators cannot handle a type that contains itself. */
const ANY_JSON: JsonSchema = { description: 'Any JSON value.' };

/**
 * Schemas in the forms that all common generators of clients understand.
 * @param io what is sent may have more fields than described, so clients must accept unknown ones
 */
export function simpleSchema(schema: unknown, io: 'input' | 'output'): unknown {
  return changedSchema(schema, (each) => withWidth(withoutSurplus(withoutTuple(each), io)));
}

/** Named schemas in those forms. */
export function simpleSchemas(
  schemas: Readonly<Record<string, unknown>>,
  io: (name: string) => 'input' | 'output',
) {
  const simple: NamedSchemas = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const changed = /^JsonValue(?:Input)?$/.test(name) ? ANY_JSON : simpleSchema(schema, io(name));
    if (isObject(changed)) simple[name] = changed;
  }
  return simple;
}

/** A tuple as a list of a fixed length. */
function withoutTuple(schema: JsonSchema): JsonSchema {
  const { prefixItems, items: _items, ...others } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  const forms = [...new Map(prefixItems.map((each) => [JSON.stringify(each), each])).values()];
  const { length } = prefixItems;
  return {
    ...others,
    items: forms.length === 1 ? forms[0] : { anyOf: forms },
    minItems: length,
    maxItems: length,
  };
}

/** An integer that may be larger than 32 bits says so; otherwise clients in typed languages use 32 bits for it. */
function withWidth(schema: JsonSchema): JsonSchema {
  const { type, maximum, format } = schema;
  const isInteger = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  const isWide = typeof maximum === 'number' && maximum > LARGEST_OF_32_BITS;
  return isInteger && isWide && format === undefined ? { ...schema, format: 'int64' } : schema;
}

function withoutSurplus(schema: JsonSchema, io: 'input' | 'output'): JsonSchema {
  const { propertyNames, additionalProperties: more, ...others } = schema;
  const kept = JSON.stringify(propertyNames) === '{"type":"string"}' ? undefined : propertyNames;
  const isAnything = more === true || (isObject(more) && Object.keys(more).length === 0);
  const isNamed = isObject(others['properties']);
  const leavesOut = (isNamed && isAnything) || (io === 'output' && more === false);
  return {
    ...others,
    ...(kept === undefined ? {} : { propertyNames: kept }),
    ...(more === undefined || leavesOut ? {} : { additionalProperties: isAnything ? true : more }),
  };
}

/** Adds the property that distinguishes the alternatives of a schema, if its values are disjoint. */
export function withDiscriminators(schema: unknown, schemas: Readonly<NamedSchemas>): unknown {
  return changedSchema(schema, (each) => {
    const forms = each['oneOf'] ?? each['anyOf'];
    const names = Array.isArray(forms) ? forms.map(referredName) : [];
    const alternatives = names.flatMap((name) =>
      name === undefined ? [] : [{ name, schema: schemas[name] }],
    );
    if (alternatives.length < 2 || alternatives.length < names.length) return each;
    const [first] = alternatives;
    const candidates = isObject(first?.schema?.['properties']) ? Object.keys(first.schema['properties']) : [];
    for (const propertyName of candidates) {
      const pairs = alternatives.flatMap(({ name, schema: one }) =>
        valuesOf(one, propertyName).map((value) => [value, `#/components/schemas/${name}`] as const),
      );
      const mapping = Object.fromEntries(pairs);
      const isComplete = alternatives.every(({ schema: one }) => valuesOf(one, propertyName).length > 0);
      if (isComplete && Object.keys(mapping).length === pairs.length) {
        return { ...each, discriminator: { propertyName, mapping } };
      }
    }
    return each;
  });
}

/** The values that a property may have; empty if they are not listed. */
function valuesOf(schema: JsonSchema | undefined, property: string): string[] {
  const properties = schema?.['properties'];
  const found = isObject(properties) ? properties[property] : undefined;
  if (!isObject(found)) return [];
  const { const: only, enum: several } = found;
  if (typeof only === 'string') return [only];
  return Array.isArray(several) ? several.filter((each) => typeof each === 'string') : [];
}
