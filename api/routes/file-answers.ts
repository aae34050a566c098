import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import parseRange from 'range-parser';
import { z } from 'zod';
import { errorBody } from '../../shared/domain/errors.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import type { OpenFile } from '../../shared/kernel/files/paths.ts';

/** OpenAPI schema of a file. Files are streamed and never validated. */
export const fileBody = z.custom<unknown>().meta({ type: 'string', format: 'binary' });

/** Responses of routes that send a file of one of these media types, whole or in part. */
export function fileAnswers(mediaTypes: readonly string[], description: string) {
  const names = new Set(mediaTypes.map((each) => each.split(';', 1).join()));
  const content = Object.fromEntries(
    [...names].map((name) => [name, { schema: name === 'application/json' ? z.unknown() : fileBody }]),
  );
  const body = { description, content };
  return { 200: body, 206: body, 304: z.undefined(), 404: errorBody, 416: errorBody };
}

export interface SentFile extends OpenFile {
  mediaType: string;
}

/**
 * Sends an open file: all of it, a single requested range, or nothing if the caller's copy is still current.
 * A request for several ranges gets the whole file, as HTTP allows.
 * @throws range_not_satisfiable
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: SentFile,
  as: 'attachment' | 'inline' = 'inline',
): Promise<FastifyReply> {
  const lastModified = file.modified.toUTCString();
  void reply
    .headers({ etag: file.etag, 'last-modified': lastModified, 'accept-ranges': 'bytes' })
    .headers({ 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' });
  if (as === 'attachment') void reply.header('content-disposition', attachment(file.name));
  if (fresh(request.headers, { etag: file.etag, 'last-modified': lastModified })) {
    await file.handle.close();
    return reply.code(304).send();
  }
  const range = rangeOf(request, file, lastModified);
  if (range === 'unsatisfiable') {
    await file.handle.close();
    void reply.header('content-range', `bytes */${file.size}`);
    throw new CalibronError(
      'range_not_satisfiable',
      `The file has ${file.size} bytes; ask for a part of them.`,
    );
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  if (range) void reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`);
  void reply.header('content-length', end - start + 1).type(file.mediaType);
  if (request.method === 'HEAD' || file.size === 0) {
    await file.handle.close();
    return reply.send(Readable.from([]));
  }
  return reply.send(file.content({ start, end }));
}

/** Sends a ZIP archive that is created while it is sent. */
export function sendArchive(reply: FastifyReply, archive: Readable, name: string): FastifyReply {
  return reply
    .type('application/zip')
    .headers({ 'content-disposition': attachment(name), 'x-content-type-options': 'nosniff' })
    .send(archive);
}

/** Replaces control characters: a file name may contain them, but a header may not. */
function attachment(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return contentDisposition(name.replaceAll(/[\u0000-\u001f\u007f]/g, '_'));
}

function rangeOf(
  { headers }: FastifyRequest,
  { size, etag }: OpenFile,
  lastModified: string,
): { start: number; end: number } | 'unsatisfiable' | null {
  const condition = headers['if-range']?.toString();
  const isSame = condition === undefined || condition === etag || condition === lastModified;
  if (headers.range === undefined || !isSame) return null;
  const ranges = parseRange(size, headers.range);
  if (ranges === -1) return 'unsatisfiable';
  const [first] = ranges === -2 || ranges.type !== 'bytes' || ranges.length > 1 ? [] : ranges;
  return first ?? null;
}
