import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { guidePages } from '../../../api/guide/pages.ts';

async function pages(files: Record<string, string>) {
  const built = await mkdtemp(join(tmpdir(), 'calibron-guide-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(built, name), text);
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  app.addHook('onClose', () => rm(built, { recursive: true }));
  await app.register(guidePages, { built });
  return app;
}

test('the guide is served under a policy that allows nothing inline and nothing from elsewhere', async () => {
  const app = await pages({
    'index.html': '<head><p>start</p>',
    'limits.html': '<p>limits</p>',
    'search.js': ';',
  });
  for (const [url, text] of Object.entries({ '': 'start', 'limits.html': 'limits' })) {
    const { headers, body } = await app.inject(`/docs/guide/${url}`);
    expect(body).toContain(`<p>${text}</p>`);
    expect(body).not.toContain('<base');
    expect(headers['content-type']).toContain('text/html');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self';",
    );
  }
  expect((await app.inject('/docs/guide/search.js')).statusCode).toBe(200);
  expect((await app.inject('/docs/guide/none.html')).statusCode).toBe(404);
  expect((await app.inject('/docs/guide')).body).toContain('<base href="guide/">');
  await app.close();
});

test('a guide that is not built yet says so', async () => {
  const app = await pages({});
  const { statusCode, body } = await app.inject('/docs/guide/');
  expect(statusCode).toBe(200);
  expect(body).toContain('npm run docs');
  await app.close();
});
