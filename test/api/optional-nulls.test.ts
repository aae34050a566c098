import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { withoutLeftOut } from '../../api/plugins/optional-nulls.ts';
import { integer } from '../../shared/kernel/wire.ts';
import { type Api, expectProblems, type Person, startApi } from './harness.ts';
import { code, makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let as: ReturnType<Api['as']>;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  owner = await api.makePerson();
  ({ as } = await makeLaboratory(api, owner, await api.makePerson()));
});
afterAll(() => api.close());

test('a null for an optional field counts as left out, unless it means something there', () => {
  const schema = z.object({
    needed: z.string(),
    byDefault: z.array(z.string()).default(['a']),
    own: z.string().nullable().default('b'),
    number: integer({ min: 0 }).prefault(3),
    any: z.record(z.string(), z.json()).default({}),
    inner: z.object({ flag: z.boolean().default(true) }).prefault({}),
    rows: z.array(z.object({ name: z.string(), tag: z.string().optional() })).optional(),
  });
  const given = {
    needed: 'x',
    byDefault: null,
    own: null,
    number: null,
    any: { kept: null },
    inner: { flag: null },
    rows: [{ name: 'y', tag: null }],
    unknown: null,
  };
  expect(withoutLeftOut(schema, given)).toEqual({
    needed: 'x',
    own: null,
    any: { kept: null },
    inner: {},
    rows: [{ name: 'y' }],
    unknown: null,
  });
  expect(withoutLeftOut(schema, { needed: null })).toEqual({ needed: null });
  expect(withoutLeftOut(schema, 'text')).toBe('text');
});

type Schema = z.infer<typeof schemaShape>;
const schemaShape = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});

test('openapi.json says so of every optional field of every JSON body', async () => {
  const operation = z.looseObject({
    requestBody: z.object({ content: z.record(z.string(), z.object({ schema: schemaShape })) }).optional(),
  });
  const document = z.object({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.object({ schemas: z.record(z.string(), schemaShape) }),
  });
  const { paths, components } = document.parse((await api.call('/openapi.json')).body);
  expect(Object.keys(components.schemas)).toContain('ScheduleCreate');
  const refusing = ({ properties = {}, required = [] }: Schema) =>
    Object.entries(properties)
      .filter(([name]) => !required.includes(name))
      // What says nothing of its form takes anything.
      .filter(([, property]) =>
        Object.keys(property).some((key) => !['description', 'default'].includes(key)),
      )
      .filter(([, property]) => !JSON.stringify(property).includes('"null"'))
      .map(([name]) => name);
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const given = requestBody?.content['application/json']?.schema;
      const name =
        String(given?.['$ref'] ?? '')
          .split('/')
          .at(-1) ?? '';
      const schema = components.schemas[name] ?? given;
      return schema ? refusing(schema).map((name) => `${method} ${path} ${name}`) : [];
    }),
  );
  expect(found).toEqual([]);
});

test('requests are taken with null for all that they leave out', async () => {
  const flow = {
    name: 'nulls',
    code,
    chip_id: 'CHIP',
    flow_function_name: 'rabi',
    description: null,
    default_parameters: null,
    default_run_parameters: null,
    tags: null,
  };
  expect(await as('/flows', { method: 'POST', body: flow })).toMatchObject({ status: 200 });
  const schedule = {
    cron: '0 2 * * *',
    scheduled_time: null,
    parameters: null,
    active: null,
    timezone: null,
    jitter_seconds: null,
  };
  expect(await as('/flows/nulls/schedule', { method: 'POST', body: schedule })).toMatchObject({
    status: 200,
    body: { active: true },
  });
  expect(await as('/flows/nulls/execute', { method: 'POST', body: { parameters: null } })).toMatchObject({
    status: 200,
  });
  const availability = { flow_name: null, parameters: null };
  expect(await as('/executions/check-availability', { method: 'POST', body: availability })).toMatchObject({
    status: 200,
  });
  const project = { name: 'with nulls', description: null, tags: null };
  expect(await api.as(owner)('/projects', { method: 'POST', body: project })).toMatchObject({ status: 201 });
});

test('a null for a required field is refused as before', async () => {
  const answer = await as('/flows', { method: 'POST', body: { name: null, code, chip_id: 'CHIP' } });
  expectProblems(answer, [['string_type', 'body', 'name']]);
});
