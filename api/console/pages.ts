import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';
import type { Settings } from '../../shared/domain/settings.ts';
import { consolePathOf } from '../../shared/kernel/console-settings.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

/** The built console; `npm run build` and `npm start` write it. */
export const builtConsole = fileURLToPath(new URL('console/dist/', packageRoot));

/** Written as it is in console/index.html. */
const BASE_MARK = '<base href="/console/" />';

/** Scripts and connections of this origin only. The editor and the figures use inline styles. */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<title>Calibron</title><body style="font-family: system-ui; margin: 4rem">
<p>The console is being built, which takes some seconds after an update. This page opens it as soon as it is there.</p>
<p>If this takes longer than a minute, run <code>npm run build</code> and look at its messages.</p>`;

export interface ConsolePagesOptions {
  settings: Pick<Settings, 'CONSOLE' | 'CLIENT_URL' | 'PUBLIC_URL'>;
  /** Folder of the built console; default: the one of this installation. */
  built?: string;
}

/** The pages of the web console. */
export const consolePages: FastifyPluginAsync<ConsolePagesOptions> = async (app, options) => {
  const { settings, built = builtConsole } = options;
  if (settings.CONSOLE === 'off') return;
  const path = consolePathOf(settings);

  await app.register(fastifyStatic, {
    root: join(built, 'assets'),
    prefix: '/console/assets/',
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
  });

  // Every other address is a view of the one page.
  const page = async (): Promise<string> => {
    const text = await readFile(join(built, 'index.html'), 'utf8').catch(() => NOT_BUILT);
    return text.replace(BASE_MARK, () => `<base href="${path}" />`);
  };
  for (const url of ['/console', '/console/*']) {
    app.get(url, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('content-security-policy', PAGE_POLICY)
        .header('referrer-policy', 'same-origin')
        .header('cross-origin-opener-policy', 'same-origin')
        .send(await page()),
    );
  }
};
