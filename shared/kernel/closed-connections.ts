import { type EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';

type Wait = (emitter: EventEmitter, name: string, options?: unknown) => Promise<unknown>;

/** The driver's connections look up `once` in this module on each call, so replacing it takes effect. */
const driver: { once: Wait } = createRequire(import.meta.url)('mongodb/lib/utils.js');
const waitFor = driver.once;

/**
 * When a socket's write buffer is full, the driver (7.8) waits until the socket drains or fails. A socket that the server
 * has closed does neither, so the operation would never end. A monitor stuck in this way would report the store as
 * unavailable until the process restarts. This wait also ends when the socket closes.
 * The driver passes on system errors of a failed socket (EPIPE, ECONNRESET …) unchanged; here they become network errors
 * of the driver.
 * @throws MongoNetworkError when the socket is closed or has failed, or does so before it drains
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
