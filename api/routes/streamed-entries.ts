import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { leaveOutNulls } from '../plugins/left-out-nulls.ts';
import { trimOf } from '../plugins/serialization.ts';

/** Sends JSON text piece by piece. */
export function sendText(reply: FastifyReply, text: AsyncIterable<string>): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(text));
}

/**
 * Sends an object with one large field, an object itself, piece by piece: only some of its entries are in memory at a time. Null
 * fields are omitted, as `leavingOutNulls` describes it.
 * @param shown.head the other fields, which come first
 * @param shown.entry the schema of an entry
 */
export function sendEntries<Entry>(
  reply: FastifyReply,
  shown: { head?: Readonly<Record<string, unknown>>; name: string; entry: z.ZodType<unknown, Entry> },
  pages: AsyncIterable<readonly (readonly [string, Entry])[]>,
): FastifyReply {
  return sendText(reply, textOf(shown, pages));
}

async function* textOf<Entry>(
  { head = {}, name, entry }: { head?: Readonly<Record<string, unknown>>; name: string; entry: z.ZodType },
  pages: AsyncIterable<readonly (readonly [string, Entry])[]>,
): AsyncGenerator<string> {
  const trim = trimOf(entry);
  const first = Object.entries(head).map(
    ([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)},`,
  );
  yield `{${first.join('')}${JSON.stringify(name)}:{`;
  let separator = '';
  for await (const page of pages) {
    if (page.length === 0) continue;
    const texts = page.map(
      ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(trim(value), leaveOutNulls)}`,
    );
    yield separator + texts.join(',');
    separator = ',';
  }
  yield '}}';
}
