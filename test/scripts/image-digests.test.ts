import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf, withDigests } from '../../scripts/image-digests.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
let server: Server;
let registry: string;
const asked: string[] = [];

/** A registry of the protocol: it gives tokens to anybody, and knows two images. */
beforeAll(async () => {
  server = createServer((request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '', registry);
    asked.push(`${request.method} ${pathname}`);
    if (pathname === '/token') {
      answer.setHeader('content-type', 'application/json');
      return answer.end(JSON.stringify({ token: `for ${searchParams.get('scope')}` }));
    }
    const [, repository, version] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(pathname) ?? [];
    const scope = `repository:${repository}:pull`;
    if (request.headers.authorization !== `Bearer for ${scope}`) {
      const challenge = `Bearer realm="${registry}/token",service="registry",scope="${scope}"`;
      return answer.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (repository === 'library/mongo' && version === '7.0.28-jammy') {
      return answer.writeHead(200, { 'docker-content-digest': DIGEST }).end();
    }
    answer.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  registry = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => server.close());

test('the digest of an image is asked with the token that its registry gives', async () => {
  expect(await digestOf('mongo', '7.0.28-jammy', registry)).toBe(DIGEST);
  expect(asked).toEqual([
    'HEAD /v2/library/mongo/manifests/7.0.28-jammy',
    'GET /token',
    'HEAD /v2/library/mongo/manifests/7.0.28-jammy',
  ]);
  await expect(digestOf('temporalio/server', '1.0', registry)).rejects.toThrow(
    'temporalio/server:1.0: 127.0.0.1',
  );
});

test('each image gets its digest behind its version, an old one is replaced, variables stay', async () => {
  const text = `x: &calibron
  image: calibron:\${CALIBRON_VERSION:-0.1.0}
services:
  one:
    image: mongo:7.0.28-jammy
  two:
    image: ghcr.io/org/tool:1.2@${OTHER} # pinned
FROM node:20.19.0-slim AS build
`;
  const images: string[] = [];
  const written = await withDigests(text, async (name, version) => {
    images.push(`${name} ${version}`);
    return DIGEST;
  });
  expect(images).toEqual(['mongo 7.0.28-jammy', 'ghcr.io/org/tool 1.2', 'node 20.19.0-slim']);
  expect(written).toBe(
    text.replace('jammy', `jammy@${DIGEST}`).replace(OTHER, DIGEST).replace('-slim', `-slim@${DIGEST}`),
  );
});
