import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import { packageRoot } from '../../shared/kernel/package-root.ts';

/** The built guide; `npm run build` and `npm start` write it. */
const builtGuide = fileURLToPath(new URL('docs/site/dist/', packageRoot));

/** Everything comes from this origin, and nothing is inline. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Calibron</title>
<p>The guide is being built, which takes some seconds after an update.</p>
<p>If this takes longer than a minute, run <code>npm run docs</code> and look at its messages.</p>`;

export interface GuidePagesOptions {
  /** Folder of the built guide; default: the one of this installation. */
  built?: string;
}

/** The pages of the guide, for everyone. */
export const guidePages: FastifyPluginAsync<GuidePagesOptions> = async (app, { built = builtGuide }) => {
  app.addHook('onSend', async (_request, reply) => {
    void reply
      // The guide is replaced while the service runs, so browsers ask whether a page has changed.
      .header('cache-control', 'no-cache')
      .header('content-security-policy', PAGE_POLICY)
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin');
  });

  await app.register(fastifyStatic, {
    root: built,
    prefix: '/docs/guide/',
    decorateReply: false,
    index: false,
    cacheControl: false,
    preCompressed: true,
  });

  app.get('/docs/guide', { schema: { hide: true } }, async (request, reply) => {
    const page = await readFile(join(built, 'index.html'), 'utf8').catch(() => NOT_BUILT);
    // A redirect to the address with a slash would loop behind a proxy that removes it.
    const hasSlash = request.url.split('?', 1)[0]?.endsWith('/');
    return reply
      .type('text/html; charset=utf-8')
      .send(hasSlash ? page : page.replace('<head>', '<head>\n<base href="guide/">'));
  });
};
