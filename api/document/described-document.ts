import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import './schema-names.ts';
import { isObject } from '../plugins/json-schemas.ts';
import { withOptionalNulls } from '../plugins/left-out-nulls.ts';
import { withNullsForLeftOut } from '../plugins/optional-nulls.ts';
import { startOfPages } from '../plugins/page-links.ts';
import { withExamples } from './examples.ts';
import { type JsonSchema, type NamedSchemas, reachableNames, referenceTo, renamed } from './schemas.ts';
import { simpleSchema, simpleSchemas, withDiscriminators } from './simple-schemas.ts';
import { statusWords } from './status-words.ts';

/** Marks operations whose answers leave out nulls, until the document is complete. */
const LEAVES_OUT_NULLS = 'x-leaves-out-nulls';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query parameter for which the answer is the second of two schemas, a part of the first. */
    answersPartFor?: string;
  }
}

/** The suffix that the library gives to the form that requests have of a named schema. */
const REQUEST_FORM = /Input$/;

/** Marks lists that are answered in pages, until the document is complete. */
const PAGED = 'x-paged';

/** Marks operations that answer a part of a thing if a query parameter asks for it, until the document is complete. */
const ANSWERS_PART = 'x-answers-part';

/** Marks operations whose body may be left out, and names the query parameters that must be there, until the document is complete. */
const OPTIONAL_BODY = 'x-optional-body';
const REQUIRED_QUERIES = 'x-required-queries';

/** Headers of a page of a list. */
const pageHeaders = {
  Link: {
    description: 'The next page as `<?…>; rel="next"`, relative to this address; absent on the last page.',
    schema: { type: 'string' },
  },
};

/** The description of a route in a document. */
export function describedRoute(given: Parameters<typeof jsonSchemaTransform>[0]) {
  const { schema, url } = jsonSchemaTransform(given);
  const marks = {
    ...(given.route.config?.leavesOutNulls ? { [LEAVES_OUT_NULLS]: true } : {}),
    ...(given.route.config?.answersPartFor ? { [ANSWERS_PART]: given.route.config.answersPartFor } : {}),
    ...(startOfPages(given.route) === undefined ? {} : { [PAGED]: true }),
    ...(accepts(given.schema.body, {}) ? { [OPTIONAL_BODY]: true } : {}),
    [REQUIRED_QUERIES]: requiredNames(given.schema.querystring),
  };
  return { url, schema: { ...schema, ...marks } };
}

const accepts = (schema: unknown, value: unknown): boolean =>
  schema instanceof z.ZodType && schema.safeParse(value).success;

/**
 * The query parameters that a request must have. The library takes a parameter whose text is converted before it is checked
 * for an optional one.
 */
function requiredNames(querystring: unknown): string[] {
  if (!(querystring instanceof z.ZodObject)) return [];
  return Object.entries(querystring.shape).flatMap(([name, schema]) =>
    accepts(schema, undefined) ? [] : [name],
  );
}

/** A whole document: named schemas in forms that generators understand, words for each status, and examples. */
export function describedDocument(given: Parameters<typeof jsonSchemaTransformObject>[0]): object {
  const document: JsonSchema = { ...jsonSchemaTransformObject(given) };
  const components = objectOf(document['components']);
  const operations = operationsOf(document['paths']);
  const library = simpleSchemas(objectOf(components['schemas']), (name) =>
    REQUEST_FORM.test(name) ? 'input' : 'output',
  );
  const requestForms = requestFormsIn(library);
  const asRequested = (schema: unknown) => withNullsForLeftOut(renamed(schema, requestForms));
  const schemas: NamedSchemas = {};
  for (const [name, schema] of Object.entries(library)) {
    schemas[name] = REQUEST_FORM.test(name) ? objectOf(asRequested(schema)) : schema;
  }
  for (const { operation } of operations) {
    for (const content of contentsOf(operation['requestBody'])) {
      content.schema = asRequested(simpleSchema(content.schema, 'input'));
    }
    for (const parameter of arrayOf(operation['parameters'])) {
      if (isObject(parameter)) parameter['schema'] = simpleSchema(parameter['schema'], 'input');
    }
    requireWhatIsRequired(operation);
    for (const [status, response] of Object.entries(objectOf(operation['responses']))) {
      describeStatus(status, response);
      if (status === '200' && operation[PAGED] === true) objectOf(response)['headers'] = pageHeaders;
      for (const content of contentsOf(response)) content.schema = simpleSchema(content.schema, 'output');
    }
  }
  for (const { operation } of operations) {
    delete operation[PAGED];
    separatePart(operation);
    operation['security'] ??= []; // says that everyone may ask
  }
  nameBodies(operations, schemas);
  leaveOutNulls(operations, schemas);
  const { paths, schemas: merged } = withOneNameEach(document['paths'], schemas);
  for (const { operation } of operationsOf(paths)) {
    for (const content of Object.values(objectOf(operation['responses'])).flatMap(contentsOf)) {
      content['schema'] = withDiscriminators(content['schema'], merged);
    }
  }
  const used = reachableNames(paths, merged);
  const named = Object.fromEntries(
    Object.entries(merged)
      .filter(([name]) => used.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, schema]) => [name, objectOf(withDiscriminators(schema, merged))] as const),
  );
  return {
    ...document,
    paths: withExamples(paths, named),
    components: { ...components, schemas: named },
  };
}

/**
 * The form that requests have of each schema, by the name of the form that answers have. The library keeps the names of both
 * forms in weak maps, and in long-lived processes requests were seen to refer to the form of answers.
 */
function requestFormsIn(library: Readonly<NamedSchemas>): ReadonlyMap<string, string> {
  return new Map(
    Object.keys(library).flatMap((name) =>
      REQUEST_FORM.test(name) ? [[name.replace(REQUEST_FORM, ''), name] as const] : [],
    ),
  );
}

interface Operation {
  operation: JsonSchema;
}

function operationsOf(paths: unknown): Operation[] {
  return Object.values(objectOf(paths)).flatMap((path) =>
    Object.values(objectOf(path)).flatMap((operation) => (isObject(operation) ? [{ operation }] : [])),
  );
}

const objectOf = (value: unknown): JsonSchema => (isObject(value) ? value : {});
const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The contents of a request body or a response, by content type. */
function contentsOf(described: unknown): JsonSchema[] {
  return Object.values(objectOf(objectOf(described)['content'])).filter(isObject);
}

/** The library describes a response with the words of its schema, or with none. */
function describeStatus(status: string, response: unknown): void {
  if (!isObject(response)) return;
  const words = statusWords[status];
  if (words !== undefined && response['description'] === 'Default Response') response['description'] = words;
}

/** Says of the body and of each query parameter whether a request must have it. An empty object and no body are the same. */
function requireWhatIsRequired(operation: JsonSchema): void {
  const names = arrayOf(operation[REQUIRED_QUERIES]);
  for (const parameter of arrayOf(operation['parameters'])) {
    if (isObject(parameter) && parameter['in'] === 'query' && names.includes(parameter['name'])) {
      parameter['required'] = true;
    }
  }
  if (operation[OPTIONAL_BODY] === true && isObject(operation['requestBody'])) {
    operation['requestBody']['required'] = false;
  }
  delete operation[REQUIRED_QUERIES];
  delete operation[OPTIONAL_BODY];
}

/**
 * Describes the whole as the answer, and the part beside it as `x-partial-answer`, with the query parameter that asks for it.
 * With a union of both, every field would be optional in generated clients.
 */
function separatePart(operation: JsonSchema): void {
  const parameter = operation[ANSWERS_PART];
  if (parameter === undefined) return;
  delete operation[ANSWERS_PART];
  for (const content of contentsOf(objectOf(operation['responses'])['200'])) {
    const [whole, part] = arrayOf(objectOf(content['schema'])['anyOf']);
    content['schema'] = whole;
    operation['x-partial-answer'] = { parameter, schema: part };
  }
}

/** Names the bodies that have no name after their operation: generators would name them by status or by number. */
function nameBodies(operations: readonly Operation[], schemas: NamedSchemas): void {
  for (const { operation } of operations) {
    const id = String(operation['operationId'])
      .split('_')
      .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
      .join('');
    const hoist = (contents: JsonSchema[], name: string) => {
      for (const content of contents) {
        const { schema } = content;
        if (!isObject(schema) || !isObject(schema['properties'])) continue;
        schemas[name] = schema;
        content['schema'] = referenceTo(name);
      }
    };
    hoist(contentsOf(operation['requestBody']), `${id}Body`);
    for (const [status, response] of Object.entries(objectOf(operation['responses']))) {
      if (status.startsWith('2')) hoist(contentsOf(response), `${id}Answer`);
    }
  }
}

/**
 * Gives the operations whose answers leave out nulls schemas that say so. A schema that other operations use too has a
 * second form, whose name begins with `Sparse`.
 */
function leaveOutNulls(operations: readonly Operation[], schemas: NamedSchemas): void {
  const marked = operations.filter(({ operation }) => operation[LEAVES_OUT_NULLS] === true);
  const others = operations.filter(({ operation }) => operation[LEAVES_OUT_NULLS] !== true);
  const relaxed = reachableNames(
    marked.map(({ operation }) => operation['responses']),
    schemas,
  );
  const strict = reachableNames(
    others.map(({ operation }) => operation['responses']),
    schemas,
  );
  const differs = (name: string) =>
    JSON.stringify(withOptionalNulls({ response: schemas[name] }).response) !== JSON.stringify(schemas[name]);
  const changed = new Set(
    [...relaxed].filter((name) => [name, ...reachableNames(schemas[name], schemas)].some(differs)),
  );
  const names = new Map(
    [...changed].filter((name) => strict.has(name)).map((name) => [name, `Sparse${name}`] as const),
  );
  for (const name of changed) {
    const { response } = withOptionalNulls({ response: schemas[name] });
    schemas[names.get(name) ?? name] = renamed(objectOf(response), names);
  }
  for (const { operation } of marked) {
    delete operation[LEAVES_OUT_NULLS];
    operation['responses'] = renamed(withOptionalNulls({ response: operation['responses'] }).response, names);
  }
}

/** Gives the forms of a schema for requests and for responses one name where they are the same, or only one is used. */
function withOneNameEach<Paths>(
  paths: Paths,
  schemas: NamedSchemas,
): { paths: Paths; schemas: NamedSchemas } {
  const used = reachableNames(paths, schemas);
  const pairs = new Map<string, string>();
  for (const name of used) {
    if (REQUEST_FORM.test(name)) pairs.set(name, name.replace(REQUEST_FORM, ''));
  }
  // Two forms are the same if they differ at most in names of forms that are the same.
  for (let before = -1; before !== pairs.size; ) {
    before = pairs.size;
    for (const [request, response] of pairs) {
      if (!used.has(response)) continue;
      const form = JSON.stringify(renamed(schemas[request], pairs));
      if (form !== JSON.stringify(renamed(schemas[response], pairs))) pairs.delete(request);
    }
  }
  const merged: NamedSchemas = {};
  for (const name of used) {
    const schema = schemas[name];
    if (schema) merged[pairs.get(name) ?? name] = renamed(schema, pairs);
  }
  return { paths: renamed(paths, pairs), schemas: merged };
}
