import fastify, { type FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { expect, test } from 'vitest';
import { listTurns } from '../../../api/plugins/list-turns.ts';
import { newUser } from '../../../shared/domain/administration/index.ts';
import { userNamed } from '../../support/ids.ts';

const turnOfEventLoop = () => new Promise(setImmediate);

/** An API whose caller is named by a header, and whose large read ends when the test says so. */
async function openApi() {
  const app = fastify();
  const caller = async (request: FastifyRequest) => {
    const username = String(request.headers['x-user']);
    const account = { username, hashed_password: '', must_change_password: false };
    request.caller = { user: { ...newUser(account), _id: userNamed(username) }, token: null };
  };
  await app.register(
    fastifyPlugin(
      async (scope) => {
        scope.decorateRequest('caller', null);
        scope.addHook('onRequest', caller);
      },
      { name: 'authentication' },
    ),
  );
  await app.register(
    fastifyPlugin(async (scope) => void scope.decorateRequest('projectScope', null), {
      name: 'project-scope',
    }),
  );
  await app.register(listTurns);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = async (request: FastifyRequest) => {
    begun.push(String(request.headers['x-user']));
    await new Promise<void>((end) => ends.push(end));
    return {};
  };
  app.get('/large', { config: { isLargeRead: true } }, read);
  app.get('/small', read);
  app.post('/large', read);
  const ask = (user: string, url: '/large' | '/small', method: 'GET' | 'POST' = 'GET') =>
    app.inject({ method, url, headers: { 'x-user': user } });
  return { app, begun, ends, ask };
}

test('a user who reads large answers all the time leaves room for others and for small reads', async () => {
  const { app, begun, ends, ask } = await openApi();
  const answers = Array.from({ length: 10 }, () => ask('busy', '/large'));
  await expect.poll(() => begun.length).toBe(2);
  await turnOfEventLoop();
  expect(begun).toEqual(['busy', 'busy']);
  answers.push(ask('other', '/large'), ask('busy', '/small'), ask('busy', '/large', 'POST'));
  await expect.poll(() => begun.length).toBe(5);
  expect(begun).toContain('other');
  const ended = Promise.all(answers);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    for (const end of ends.splice(0)) end();
    await turnOfEventLoop();
  }
  expect((await ended).map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
  await app.close();
});
