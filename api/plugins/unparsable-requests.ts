import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { newId } from '../../shared/kernel/new-ids.ts';

/** Sends the standard error response for a request that the HTTP parser rejects, then closes the connection. */
export function answerUnparsable(failure: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = errorOf(failure.code);
  const body = JSON.stringify({ detail: message, code });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-request-id: ${newId()}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Maps error codes of Node's HTTP server. */
function errorOf(code: string | undefined): CalibronError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new CalibronError('request_timeout', 'The request did not arrive in time; send it again.');
    case 'HPE_HEADER_OVERFLOW':
      return new CalibronError('headers_too_large', 'Address and headers are too long; shorten them.');
    default:
      return new CalibronError('bad_request', 'This is not a readable HTTP request.');
  }
}
