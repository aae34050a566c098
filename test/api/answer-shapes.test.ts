import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { shapeOf } from './answer-shape.ts';
import { answerShapes } from './answer-shapes.ts';
import { type Api, startApi } from './harness.ts';

const response = z.object({
  content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }),
});
const document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
});

let api: Api;
let described: z.infer<typeof document>;

beforeAll(async () => {
  api = await startApi();
  described = document.parse(JSON.parse(JSON.stringify(api.server.swagger())));
});
afterAll(() => api.close());

// Every answer of every test is checked against these schemas, so what they say is what clients get.
test.each(Object.entries(answerShapes))('%s has the fields that clients know', (name, fields) => {
  const [method = '', path = '', status = ''] = name.split(' ');
  const answer = response.parse(described.paths[path]?.[method.toLowerCase()]?.responses[status]);
  expect(shapeOf(described, answer.content['application/json'].schema)).toBe(fields);
});
