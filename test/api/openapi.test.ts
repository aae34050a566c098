import { gunzipSync } from 'node:zlib';
import { validate } from '@readme/openapi-parser';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { taskNames } from '../../shared/tasks/catalog.ts';
import { breachOfDocument } from '../support/documented-answers.ts';
import { type Api, read, startApi } from './harness.ts';
import { accessOf } from './permission-matrix.ts';

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).min(1),
  summary: z.string(),
  security: z.array(z.object({ bearer: z.array(z.string()) })).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const document = z.object({
  openapi: z.string(),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/** Method, path and access of every route but the pages for people, and those that show the description itself. */
const documented = Object.entries(accessOf)
  .filter(([name]) => !/ \/(?:$|console(?:\/|$)|docs|openapi\.json|api\/)/.test(name))
  .map(([name, access]) => {
    const [method = '', url = ''] = name.split(' ');
    return [method.toLowerCase(), url.replace(/:([a-z_]+)/g, '{$1}'), access] as const;
  });

test('openapi.json is a valid document, every reference in it leads somewhere', async () => {
  const { text } = await api.call('/openapi.json');
  expect(await validate(JSON.parse(text))).toMatchObject({ valid: true, warnings: [] });
});

test('openapi.json is sent compressed to clients that accept it, from one compressed copy', async () => {
  const ask = (encodings: string) =>
    api.server.inject({ url: '/openapi.json', headers: { 'accept-encoding': encodings } });
  const plain = await ask('identity');
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect((await ask('br, gzip;q=0')).headers['content-encoding']).not.toBe('gzip');
  const [first, second] = [await ask('gzip, deflate, br'), await ask('gzip')];
  expect(first.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(first.rawPayload.equals(second.rawPayload)).toBe(true);
  expect(gunzipSync(first.rawPayload).toString()).toBe(plain.payload);
});

test('openapi.json has the version of the program', async () => {
  const { version } = z.object({ version: z.string() }).parse(manifest);
  expect((await api.call('/openapi.json')).body).toMatchObject({ info: { version } });
});

test('an answer that is not as openapi.json says is found', () => {
  const breach = (answer: { url?: string; status?: number; contentType?: string; text?: string }) =>
    breachOfDocument(api.server, {
      method: 'GET',
      url: '/healthz?probe=1',
      status: 200,
      contentType: 'application/json; charset=utf-8',
      text: '{"status":"ok"}',
      ...answer,
    });
  expect(breach({})).toBeNull();
  expect(breach({ status: 418 })).toContain('does not name status 418');
  expect(breach({ contentType: 'text/html' })).toContain('text/html is none of application/json');
  expect(breach({ text: '{"status":"fine"}' })).toContain('status must be');
  expect(breach({ text: '{"status":"ok","more":1}' })).toContain('must NOT have additional properties');
  expect(breach({ url: '/nowhere' })).toContain('does not know it');
});

test('what a route leaves out when it is null is not required there, and elsewhere it is', async () => {
  const { body } = await api.call('/openapi.json');
  const described = z.object({ required: z.array(z.string()) });
  const { TaskResultItem: listed, ExecutionSummary: execution } = z
    .object({
      components: z.object({ schemas: z.object({ TaskResultItem: described, ExecutionSummary: described }) }),
    })
    .parse(body).components.schemas;
  expect(listed.required).toContain('task_id');
  expect(listed.required).not.toContain('end_at');
  expect(execution.required).toContain('end_at');
});

test('openapi.json has no schema that nothing refers to', async () => {
  const { text, body } = await api.call('/openapi.json');
  const names = Object.keys(document.parse(body).components.schemas);
  expect(names).toContain('JsonValue');
  expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
});

test('openapi.json names every route with an operation id of its own', async () => {
  const { openapi, paths } = read(document, await api.call('/openapi.json'));
  expect(openapi).toBe('3.1.0');
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const ids = operations.map((each) => each.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Object.keys(paths).sort()).toEqual([...new Set(documented.map(([, path]) => path))].sort());
});

test('every tag of a route is described, and no other', async () => {
  const { tags, paths } = read(document, await api.call('/openapi.json'));
  const used = Object.values(paths).flatMap((path) => Object.values(path).flatMap((each) => each.tags));
  expect(tags.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort());
});

test('a task in a request may have any name, and those of the catalog are its examples', async () => {
  const parameter = z.looseObject({
    name: z.string(),
    schema: z.looseObject({}),
    examples: z.record(z.string(), z.unknown()).optional(),
  });
  const named = z.object({ parameters: z.array(parameter) });
  const { paths } = z
    .object({
      paths: z.object({
        '/tasks/{task_name}/execute': z.object({ post: named }),
        '/task-results': z.object({ get: named }),
        '/task-results/couplings/latest': z.object({ get: named }),
      }),
    })
    .parse((await api.call('/openapi.json')).body);
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const described = operations.flatMap(({ parameters }) =>
    parameters.filter(({ name }) => name === 'task' || name === 'task_name'),
  );
  expect(described).toHaveLength(operations.length);
  for (const { schema, examples } of described) {
    expect(schema).toEqual({ type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' });
    expect(Object.keys(examples ?? {})).toEqual(taskNames());
  }
});

test('routes that ask for a token say so, and name 401', async () => {
  const { paths } = read(document, await api.call('/openapi.json'));
  for (const [method, path, access] of documented) {
    const described = paths[path]?.[method];
    const asksForToken = (described?.security ?? []).length > 0;
    expect([method, path, asksForToken]).toEqual([method, path, access !== 'anyone']);
    if (described && asksForToken) {
      expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(['401', '403', '429', '503']));
    }
  }
});

test('routes that take a body name 413 and 415', async () => {
  const { paths } = read(document, await api.call('/openapi.json'));
  for (const [method, path] of documented) {
    if (method === 'get' || method === 'delete') continue;
    const named = Object.keys(paths[path]?.[method]?.responses ?? {});
    expect([method, path, named]).toEqual([method, path, expect.arrayContaining(['413', '415'])]);
  }
});

test('queries are described with their types and bounds', async () => {
  const answer = await api.call('/openapi.json');
  const parameters = z
    .object({
      paths: z.object({
        '/executions': z.object({
          get: z.object({ parameters: z.array(z.looseObject({ name: z.string() })) }),
        }),
      }),
    })
    .parse(answer.body).paths['/executions'].get.parameters;
  expect(parameters.find((each) => each.name === 'limit')).toMatchObject({
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  });
  expect(parameters.find((each) => each.name === 'chip_id')).toMatchObject({ required: true });
});

test('a body and a query parameter are required where a request without them is refused, and nowhere else', async () => {
  const required = z.object({ required: z.boolean() });
  const parameter = z.looseObject({ name: z.string(), required: z.boolean().default(false) });
  const { paths } = z
    .object({
      paths: z.object({
        '/chips': z.object({ post: z.object({ requestBody: required }) }),
        '/executions/check-availability': z.object({ post: z.object({ requestBody: required }) }),
        '/executions/artifacts/archive': z.object({ get: z.object({ parameters: z.array(parameter) }) }),
      }),
    })
    .parse((await api.call('/openapi.json')).body);
  expect(paths['/chips'].post.requestBody.required).toBe(true);
  expect(paths['/executions/check-availability'].post.requestBody.required).toBe(false);
  expect(paths['/executions/artifacts/archive'].get.parameters).toContainEqual(
    expect.objectContaining({ name: 'paths', required: true }),
  );

  const owner = await api.makePerson();
  const ask = api.as(owner, await api.makeProject(owner));
  expect((await ask('/chips', { method: 'POST' })).status).toBe(422);
  expect((await ask('/executions/check-availability', { method: 'POST' })).status).toBe(200);
  expect((await ask('/executions/artifacts/archive')).status).toBe(422);
});

test('login is described as a form, creation as JSON', async () => {
  const { body } = await api.call('/openapi.json');
  const content = (path: string) =>
    Object.keys(
      z
        .object({
          paths: z.object({
            [path]: z.object({ post: z.object({ requestBody: z.object({ content: z.looseObject({}) }) }) }),
          }),
        })
        .parse(body).paths[path]?.post.requestBody.content ?? {},
    );
  expect(content('/auth/login')).toEqual(['application/x-www-form-urlencoded']);
  expect(content('/chips')).toEqual(['application/json']);
});

test('/docs shows it to people', async () => {
  const answer = await api.call('/docs/');
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('Swagger UI');
  expect((await api.call('/docs/static/swagger-ui.css')).status).toBe(200);
});

test('the documents of the page are written and compressed once, however often they are requested', async () => {
  const described = vi.spyOn(api.server, 'swagger');
  const ask = (url: string) => api.server.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
  const [yaml, moreYaml] = [await ask('/docs/yaml'), await ask('/docs/yaml')];
  const [json, moreJson] = [await ask('/docs/json'), await ask('/docs/json')];
  expect(described).toHaveBeenCalledTimes(2);
  described.mockRestore();
  expect(yaml.headers).toMatchObject({ 'content-type': 'application/yaml', 'content-encoding': 'gzip' });
  expect(json.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect([moreYaml.rawPayload.equals(yaml.rawPayload), moreJson.rawPayload.equals(json.rawPayload)]).toEqual([
    true,
    true,
  ]);
  const document = (await api.call('/docs/json')).body;
  expect(parse(gunzipSync(yaml.rawPayload).toString())).toEqual(document);
  expect(JSON.parse(gunzipSync(json.rawPayload).toString())).toEqual(document);
});

test('/docs and openapi.json hold behind any path prefix of a proxy', async () => {
  const prefix = 'https://lab.example/calibron';
  for (const path of ['/docs', '/docs/', '/docs?deep=1', '/docs/?deep=1']) {
    const { status, text } = await api.call(path);
    expect(status, path).toBe(200);
    const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(addresses.length).toBeGreaterThan(3);
    const page = `${prefix}${path}`;
    for (const address of addresses) expect(new URL(address, page).href).toContain(`${prefix}/docs/static/`);
  }
  const servers = z.object({ servers: z.array(z.object({ url: z.string() })) });
  for (const path of ['/openapi.json', '/docs/json']) {
    const [server] = read(servers, await api.call(path)).servers;
    expect(new URL(server?.url ?? '', `${prefix}${path}`).href, path).toBe(`${prefix}/`);
  }
});
