import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** The name in the gateway's certificate; its address is another. */
export const GATEWAY_NAME = 'engine.lab.example';
/** PERMISSION_DENIED of gRPC. */
const DENIED = '7';

export interface Certificates {
  authority: string;
  server: { cert: string; key: string };
  /** Files, as settings name them. */
  paths: { authority: string; clientCert: string; clientKey: string };
}

/** An authority of the test's own, with a certificate for {@link GATEWAY_NAME} and one for a client; the latter in `directory`. */
export async function makeCertificates(directory: string): Promise<Certificates> {
  const kind = { keyType: 'ec', algorithm: 'sha256' } as const;
  const named = (value: string) => [{ name: 'commonName', value }];
  const authority = await generate(named('authority of a test'), {
    ...kind,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const ca = { key: authority.private, cert: authority.cert };
  const end = { name: 'basicConstraints', cA: false, critical: true } as const;
  const server = await generate(named(GATEWAY_NAME), {
    ...kind,
    ca,
    extensions: [end, { name: 'subjectAltName', altNames: [{ type: 2, value: GATEWAY_NAME }] }],
  });
  const client = await generate(named('calibron'), {
    ...kind,
    ca,
    extensions: [end, { name: 'extKeyUsage', clientAuth: true }],
  });
  const paths = {
    authority: join(directory, 'authority.pem'),
    clientCert: join(directory, 'client.pem'),
    clientKey: join(directory, 'client.key'),
  };
  await Promise.all([
    writeFile(paths.authority, authority.cert),
    writeFile(paths.clientCert, client.cert),
    writeFile(paths.clientKey, client.private, { mode: 0o600 }),
  ]);
  return { authority: authority.cert, server: { cert: server.cert, key: server.private }, paths };
}

/**
 * The gateway before the engines of careful laboratories: TLS, for those alone who have a certificate of the
 * authority or the API key, and some calls are for administrators only.
 */
export async function openGateway(
  target: string,
  certificates: Certificates,
  rules: { apiKey?: string; denied?: RegExp } = {},
) {
  const { authority, server: own } = certificates;
  const wantsCertificate = rules.apiKey === undefined;
  const engine = connect(`http://${target}`);
  const server = createSecureServer({
    ...own,
    ca: authority,
    requestCert: wantsCertificate,
    rejectUnauthorized: wantsCertificate,
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => stream.destroy());
    const isKnown = wantsCertificate || headers.authorization === `Bearer ${rules.apiKey}`;
    if (!isKnown || rules.denied?.test(String(headers[':path']))) return refuse(stream);
    passOn(stream, headers, engine);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the gateway has no port');

  return {
    address: `127.0.0.1:${address.port}`,
    async close() {
      for (const session of sessions) session.destroy();
      engine.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': DENIED,
      'grpc-message': 'Request unauthorized.',
    },
    { endStream: true },
  );
}

/** Carries a call to the engine and its answer back, trailers too: they hold gRPC's status. */
function passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, engine: ClientHttp2Session): void {
  const { ':authority': _authority, ':scheme': _scheme, ...rest } = headers;
  const onward = engine.request(rest);
  let trailers: IncomingHttpHeaders = {};
  onward.on('response', (answer, flags) => {
    if (flags & constants.NGHTTP2_FLAG_END_STREAM) stream.respond(answer, { endStream: true });
    else stream.respond(answer, { waitForTrailers: true });
  });
  onward.on('trailers', (received) => {
    trailers = received;
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  onward.on('error', () => stream.close());
  stream.on('close', () => onward.close(constants.NGHTTP2_CANCEL));
  stream.pipe(onward);
  onward.pipe(stream);
}
