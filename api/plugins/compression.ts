import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

/** Bytes from which an answer is worth compressing. */
const THRESHOLD = 1024;

/** Text that is answered as a whole: events are to arrive one by one, and other kinds are compressed already. */
const compressible = /^(?:text\/(?!event-stream)|application\/(?:json|javascript)(?:;|$))/;

/**
 * Answers are compressed for clients that take it. Routes that send stored files opt out with `compress: false`: tag,
 * length and ranges mean the bytes of the file.
 */
export const compression = fastifyPlugin(
  async (app: FastifyInstance) => {
    await app.register(compress, {
      threshold: THRESHOLD,
      encodings: ['br', 'gzip', 'deflate'],
      customTypes: compressible,
      globalDecompression: false,
    });
  },
  { name: 'compression' },
);
