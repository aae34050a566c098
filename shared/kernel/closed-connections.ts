import { type EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';

type Wait = (emitter: EventEmitter, name: string, options?: unknown) => Promise<unknown>;

/** What the driver's connections wait with, and take from this module each time. */
const driver: { once: Wait } = createRequire(import.meta.url)('mongodb/lib/utils.js');
const waitFor = driver.once;

/**
 * The driver (7.8) waits until a socket that takes no more has drained or failed. A socket that the other side has
 * ended does neither: an operation that was written then never ended, and a monitor that wrote then never looked for
 * the store again, so that a process said until its restart that the store was away. Here the wait ends with the socket.
 * What the system says of a socket that failed meanwhile (EPIPE, ECONNRESET …) the driver passes on as it is; here it is
 * known whose socket it was.
 * @throws MongoNetworkError when the socket is closed or has failed, or does before it drains
 */
async function drained(socket: Socket, drain: () => Promise<unknown>): Promise<unknown> {
  const ended = () => new MongoNetworkError('The connection was closed while a request was written.');
  if (socket.closed) throw ended();
  const over = new AbortController();
  const closed = once(socket, 'close', { signal: over.signal }).then(() => {
    throw ended();
  });
  try {
    return await Promise.race([drain(), closed]);
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown !== socket.errored) throw thrown;
    throw new MongoNetworkError(thrown.message, { cause: thrown });
  } finally {
    over.abort();
  }
}

driver.once = (emitter, name, options) => {
  const wait = () => waitFor(emitter, name, options);
  return name === 'drain' && emitter instanceof Socket ? drained(emitter, wait) : wait();
};
