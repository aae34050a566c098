/**
 * The way to Temporal for backend workers that are not trusted with the whole namespace. WORKER_QUEUES names the queues that they
 * may poll, BACKEND_ROUTE_ADDRESS where this program listens.
 */
import type { Http2Server, SecureClientSessionOptions } from 'node:http2';
import { readSettings } from '../../shared/domain/settings.ts';
import { type EngineAccess, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { isBackendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { tellSourcePositions } from '../../shared/kernel/source-positions.ts';
import { createBackendRoute } from './route.ts';

async function main(): Promise<void> {
  tellSourcePositions();
  const settings = readSettings(process.env);
  const { WORKER_QUEUES: queues, BACKEND_ROUTE_ADDRESS: address } = settings;
  const foreign = queues.filter((queue) => !isBackendQueue(queue));
  if (foreign.length > 0) throw new Error(`WORKER_QUEUES names ${foreign.join(', ')}, which is no backend.`);
  const { connection, namespace } = await engineAccess(settings);
  const route = createBackendRoute({ ...targetOf(connection), namespace, queues });
  await listen(route, address);
  createLog('route', settings.LOG_LEVEL).info({ queues, address }, 'serving');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
}

function listen(route: Http2Server, address: string): Promise<void> {
  const { hostname, port } = new URL(`http://${address}`);
  return new Promise((resolve, reject) => {
    route.once('error', reject);
    route.listen(Number(port), hostname.replace(/^\[|\]$/g, ''), resolve);
  });
}

/** Address and credentials of Temporal, in the form of an HTTP/2 client. */
function targetOf({ address = '127.0.0.1:7233', tls, apiKey }: EngineAccess['connection']): {
  target: string;
  tls?: SecureClientSessionOptions;
  headers?: Record<string, string>;
} {
  const headers: Record<string, string> = {};
  if (typeof apiKey === 'string') headers['authorization'] = `Bearer ${apiKey}`;
  if (!tls) return { target: `http://${address}`, headers };
  const target = `https://${address}`;
  if (tls === true) return { target, headers };
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = tls;
  return {
    target,
    headers,
    tls: {
      ...(serverNameOverride && { servername: serverNameOverride }),
      ...(serverRootCACertificate && { ca: Buffer.from(serverRootCACertificate) }),
      ...(clientCertPair && { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) }),
    },
  };
}

main().catch((thrown: unknown) => {
  console.error(messageOf(thrown));
  process.exit(1);
});
