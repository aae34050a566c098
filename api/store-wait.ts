import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../shared/domain/settings.ts';
import { prepareStore } from '../shared/domain/store-preparation.ts';
import type { Database } from '../shared/kernel/database.ts';
import { CalibronError } from '../shared/kernel/errors.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { RETRY_AFTER } from './plugins/errors.ts';

/** Milliseconds after which requests are answered with 503 if the store is not ready yet. */
const SHORT_WAIT = 2000;

/**
 * Waits until the stored data is migrated and the indexes are built. If that takes long, requests are answered with 503, so that clients know that they
 * can retry. /healthz reports that the process is alive, so that it is not restarted.
 */
export async function waitForStore(
  { database, settings, log }: { database: Database; settings: Settings; log: Logger },
  shortWait = SHORT_WAIT,
): Promise<void> {
  const ready = prepareStore({ database, settings, log }, { report: (message) => log.info(message) });
  const settled = ready.then(
    () => true,
    () => true,
  );
  if (await Promise.race([settled, sleep(shortWait, false, { ref: false })])) return ready;
  const server = await answerUnavailable(settings);
  log.info('requests are answered with 503 until the store is prepared');
  try {
    await ready;
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A server that responds to all requests like the API with an unavailable store. */
async function answerUnavailable(settings: Settings): Promise<Server> {
  const { code, status, message } = new CalibronError(
    'store_unavailable',
    'The database is being prepared for this version; try again in a few minutes.',
  );
  const server = createServer((request, response) => {
    request.resume();
    const path = request.url?.split('?', 1)[0];
    const isHealth = path === '/healthz';
    const readiness = { status: 'unavailable', store: false, engine: false };
    const failure = path === '/readyz' ? readiness : { detail: message, code };
    response.writeHead(isHealth ? 200 : status, {
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
      ...(!isHealth && { 'retry-after': String(RETRY_AFTER) }),
    });
    response.end(JSON.stringify(isHealth ? { status: 'ok' } : failure));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: settings.API_HOST, port: settings.API_PORT }, resolve);
  });
  return server;
}
