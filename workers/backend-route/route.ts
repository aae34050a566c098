import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
  type ServerHttp2Stream,
} from 'node:http2';
import { isOpenCall, isOwnPoll, POLL, type Polled } from './rules.ts';

/** gRPC status codes. */
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
/** Maximum bytes of a poll. */
const POLL_LIMIT = 64 * 1024;
/** Headers of one connection, which are not passed on. */
const OWN_HEADERS = [':scheme', ':authority', 'connection', 'host', 'authorization'];

export interface RouteOptions extends Polled {
  /** Temporal's address, `http://host:port` or `https://host:port`. */
  target: string;
  /** For an `https` address: authority and client certificate. */
  tls?: SecureClientSessionOptions;
  /** Credentials for Temporal, which backends do not see. */
  headers?: Record<string, string>;
}

/**
 * A way to Temporal for backend workers: it passes on only the calls that serve activities, and polls only of the given queues.
 * Temporal itself knows no rights for a queue.
 */
export function createBackendRoute({ target, tls, headers = {}, ...polled }: RouteOptions): Http2Server {
  let session: ClientHttp2Session | undefined;

  function sessionNow(): ClientHttp2Session {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(target, tls);
      // Each call reports its own failure.
      session.on('error', () => undefined);
    }
    return session;
  }

  function passOn(stream: ServerHttp2Stream, asked: IncomingHttpHeaders, content: Buffer | null): void {
    const kept = Object.entries(asked).filter(([name]) => !OWN_HEADERS.includes(name));
    let call: ClientHttp2Stream;
    try {
      call = sessionNow().request({ ...Object.fromEntries(kept), ...headers });
    } catch {
      refuse(stream, UNAVAILABLE, 'Temporal cannot be reached');
      return;
    }
    answerWith(stream, call);
    if (content) call.end(content);
    else stream.pipe(call);
  }

  const server = createServer();
  server.on('stream', (stream, asked) => {
    stream.on('error', () => undefined);
    const path = asked[':path'] ?? '';
    if (isOpenCall(path)) return passOn(stream, asked, null);
    if (path !== POLL) return refuse(stream, PERMISSION_DENIED, 'backends may not make this call');
    collect(stream, (message) => {
      if (message === null) refuse(stream, RESOURCE_EXHAUSTED, 'the poll is too large');
      else if (isOwnPoll(message, polled)) passOn(stream, asked, message);
      else refuse(stream, PERMISSION_DENIED, `this backend may poll ${polled.queues.join(', ')} only`);
    });
  });
  server.on('close', () => session?.destroy());
  return server;
}

/** Collects a whole request; null if it is too large. */
function collect(stream: ServerHttp2Stream, done: (message: Buffer | null) => void): void {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on('data', (part: Buffer) => {
    size += part.length;
    if (size <= POLL_LIMIT) parts.push(part);
  });
  stream.once('end', () => done(size <= POLL_LIMIT ? Buffer.concat(parts) : null));
}

/** Answers with what Temporal answers, including the trailers, in which gRPC reports the outcome. */
function answerWith(stream: ServerHttp2Stream, call: ClientHttp2Stream): void {
  let trailers: IncomingHttpHeaders = {};
  call.once('response', (answer, flags) => {
    if (stream.closed) return;
    const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(answer, isOver ? { endStream: true } : { waitForTrailers: true });
    if (!isOver) call.pipe(stream);
  });
  call.once('trailers', (received) => {
    trailers = received;
  });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  call.once('error', () => {
    if (stream.headersSent) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else refuse(stream, UNAVAILABLE, 'Temporal cannot be reached');
  });
  stream.once('close', () => {
    if (!call.closed) call.close(constants.NGHTTP2_CANCEL);
  });
}

function refuse(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.closed || stream.destroyed) return;
  stream.resume();
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(status),
      'grpc-message': encodeURIComponent(message),
    },
    { endStream: true },
  );
}
