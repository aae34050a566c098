import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

/** Minimum size in bytes of a response that is compressed. */
const THRESHOLD = 1024;

/** Text sent as a whole. Events must arrive one by one, and other types are already compressed. */
const compressible = /^(?:text\/(?!event-stream)|application\/(?:json|javascript)(?:;|$))/;

/**
 * Compresses responses for clients that accept it. Routes that send stored files opt out with `compress: false`, because
 * their entity tag, length and ranges refer to the bytes of the file.
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
