import { expect, test } from 'vitest';
import { z } from 'zod';
import { describedDocument } from '../../../api/document/described-document.ts';

const shown = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))),
  components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }),
});

const referringTo = (name: string) => ({
  '/flows/{name}/execute': {
    post: {
      operationId: 'execute_flow',
      requestBody: {
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
      responses: {},
    },
  },
});

function documentOf(name: string) {
  const openapiObject = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: referringTo(name) };
  return shown.parse(describedDocument({ openapiObject }));
}

test('the body of a request has the form of requests, also where the library refers to that of answers', () => {
  const document = documentOf('FlowExecution');
  expect(document).toEqual(documentOf('FlowExecutionInput'));
  expect(document.components.schemas['FlowExecution']).toMatchObject({
    properties: { priority: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
  });
});
