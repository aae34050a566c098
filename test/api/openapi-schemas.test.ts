import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { currentDocuments } from '../../scripts/openapi/document.ts';
import { errorStatus } from '../../shared/domain/errors.ts';

const content = z.record(
  z.string(),
  z.looseObject({ schema: z.looseObject({}), example: z.unknown().optional() }),
);
const response = z.looseObject({ description: z.string(), content: content.optional() });
const operation = z.looseObject({
  operationId: z.string(),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), response),
});
const document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});

let described: z.infer<typeof document>;
/** Every JSON object of the document, with its JSON pointer. */
let parts: { at: string; part: Record<string, unknown> }[];

beforeAll(async () => {
  described = document.parse((await currentDocuments()).current);
  parts = [...partsOf(described, '')];
});

function* partsOf(value: unknown, at: string): Generator<{ at: string; part: Record<string, unknown> }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { at, part: { ...value } };
  for (const [key, each] of Object.entries(value)) {
    if (key !== 'example') yield* partsOf(each, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

/** Pointers of the schemas, not of maps of properties, for which something holds. */
const where = (holds: (part: Record<string, unknown>) => boolean) =>
  parts.filter(({ at, part }) => !at.endsWith('/properties') && holds(part)).map(({ at }) => at);

const operations = () =>
  Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ path, method, ...each })),
  );

test('no schema has a form that common generators of clients cannot read', () => {
  expect(where((part) => 'prefixItems' in part || part['items'] === false)).toEqual([]);
  expect(
    where((part) => 'anyOf' in part && typeof part['default'] === 'object' && part['default'] !== null),
  ).toEqual([]);
  expect(where((part) => JSON.stringify(part['additionalProperties']) === '{}')).toEqual([]);
  expect(where((part) => part['additionalProperties'] === true && 'properties' in part)).toEqual([]);
});

test('no schema has a name that generators give to something else', () => {
  const names = Object.keys(described.components.schemas);
  // In Go, `NewChip` is the function that makes a Chip.
  expect(names.filter((name) => name.startsWith('New') && names.includes(name.slice(3)))).toEqual([]);
  // In TypeScript, `CreateChipRequest` holds the parameters of the operation create_chip.
  const parameters = operations().map(({ operationId }) =>
    `_${operationId}_request`.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  expect(names.filter((name) => parameters.includes(name))).toEqual([]);
});

test('an integer that may be larger than 32 bits says so, and nothing has the type null alone', () => {
  const isInteger = (type: unknown) => [type].flat().includes('integer');
  expect(
    where(
      ({ type, maximum, format }) => isInteger(type) && Number(maximum) > 2 ** 31 - 1 && format !== 'int64',
    ),
  ).toEqual([]);
  const alternatives = /\/(?:anyOf|oneOf)\/\d+$/;
  expect(where(({ type }) => type === 'null').filter((at) => !alternatives.test(at))).toEqual([]);
});

test('no schema contains itself but folders, which contain folders', () => {
  const folders = ['ConfigurationEntry', 'TaskTreeEntry'];
  const { schemas } = described.components;
  const namesIn = (part: unknown) =>
    [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);
  for (const name of Object.keys(schemas)) {
    const reached = new Set<string>();
    const open = namesIn(schemas[name]);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(...namesIn(schemas[next]));
    }
    expect([name, reached.has(name)]).toEqual([name, folders.includes(name)]);
  }
});

test('what runs, results and provenance consist of has names, and so has every body that is an object', () => {
  const names = [
    'Execution',
    'ExecutionTask',
    'TaskResult',
    'ParameterRecord',
    'Lineage',
    'ExecutionList',
    'Error',
  ];
  expect(Object.keys(described.components.schemas)).toEqual(expect.arrayContaining(names));
  for (const { operationId, requestBody, responses } of operations()) {
    const bodies = [requestBody, ...Object.values(responses)].flatMap((each) =>
      Object.values(each?.content ?? {}),
    );
    for (const { schema } of bodies)
      expect([operationId, 'properties' in schema]).toEqual([operationId, false]);
  }
});

test('an object of three or more properties that occurs more than once has a name', () => {
  const seen = new Map<string, string>();
  const twice = parts.flatMap(({ at, part }) => {
    const { properties } = part;
    const isLarge =
      typeof properties === 'object' && properties !== null && Object.keys(properties).length > 2;
    if (!isLarge || part['type'] !== 'object' || /^\/components\/schemas\/[^/]+$/.test(at)) return [];
    const text = JSON.stringify(part);
    const before = seen.get(text);
    seen.set(text, at);
    return before === undefined ? [] : [`${before} = ${at}`];
  });
  expect(twice).toEqual([]);
});

test('no name of a schema ends in Input, which marks the forms that only requests have', () => {
  expect(Object.keys(described.components.schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
});

test('the codes of errors are listed', () => {
  expect(described.components.schemas['ErrorCode']?.['enum']).toEqual(Object.keys(errorStatus));
});

test('the status tells entries with a result from those without', () => {
  expect(described.components.schemas['LatestEntry']).toMatchObject({
    discriminator: {
      propertyName: 'status',
      mapping: {
        completed: '#/components/schemas/MeasuredEntry',
        pending: '#/components/schemas/PendingEntry',
      },
    },
  });
});

test('every time has the format date-time', () => {
  const isTime = (name: string) => /_at$|^at$|^deadline$|^estimated_end$/.test(name);
  const without = parts.flatMap(({ at, part }) => {
    if (!at.endsWith('/properties')) return [];
    return Object.entries(part).flatMap(([name, schema]) => {
      const text = JSON.stringify(schema);
      return isTime(name) && text.includes('"string') && !text.includes('"date-time"')
        ? [`${at}/${name}`]
        : [];
    });
  });
  expect(without).toEqual([]);
});

test('every answer is described in words', () => {
  for (const { operationId, responses } of operations()) {
    for (const [status, { description }] of Object.entries(responses)) {
      expect([operationId, status, description]).toEqual([
        operationId,
        status,
        expect.stringMatching(/\w \w/),
      ]);
      expect(description).not.toBe('Default Response');
    }
  }
});

test('only requests are refused for unknown keys, so no answer says that it has no others', () => {
  const closed = new Set(
    where((part) => part['additionalProperties'] === false).flatMap((at) => at.split('/')[3] ?? []),
  );
  const answers = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (answers.has(name)) continue;
      answers.add(name);
      visit(described.components.schemas[name]);
    }
  };
  for (const { responses } of operations()) visit(responses);
  expect([...closed].filter((name) => answers.has(name))).toEqual([]);
});

test('event streams say what each event has, by its type', () => {
  const streams = operations().flatMap(
    ({ responses }) => responses[200]?.content?.['text/event-stream'] ?? [],
  );
  expect(streams.length).toBeGreaterThan(5);
  for (const { schema } of streams) expect(schema).toMatchObject({ discriminator: { propertyName: 'type' } });
});

test('every JSON body and answer has an example, and its schema permits it', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  const wrong = operations().flatMap(({ operationId, requestBody, responses }) => {
    const described = [
      requestBody,
      ...Object.entries(responses).map(([status, each]) => (/^2/.test(status) ? each : undefined)),
    ];
    return described
      .flatMap((each) => Object.entries(each?.content ?? {}))
      .filter(([type]) => type === 'application/json')
      .flatMap(([, { schema, example }]) => {
        const validate = compiled(ajv, schema);
        return validate(example) ? [] : [`${operationId}: ${ajv.errorsText(validate.errors)}`];
      });
  });
  expect(wrong).toEqual([]);
});

test('examples of frequent requests have values that the service takes', () => {
  const exampleOf = (path: string, method = 'post') =>
    Object.values(described.paths[path]?.[method]?.requestBody?.content ?? {})[0]?.example;
  expect(exampleOf('/auth/login')).toEqual({ username: 'ada', password: 'correct horse battery staple' });
  expect(exampleOf('/projects/{project_id}/members')).toEqual({ username: 'ada', role: 'editor' });
  expect(exampleOf('/tasks/{task_name}/execute')).toMatchObject({
    backend_name: 'simulator',
    input_parameter_overrides: { qubit_frequency: 5.123 },
    run_parameter_overrides: { shots: 2048 },
  });
  expect(exampleOf('/flows/{name}/execute')).toMatchObject({ parameters: { qids: ['0', '1'] } });
});

const validators = new Map<string, ReturnType<Ajv2020['compile']>>();

function compiled(ajv: Ajv2020, schema: object) {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  const made = ajv.compile({ ...schema, components: described.components });
  validators.set(key, made);
  return made;
}
