import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import { createAesGcmCodec, readPayloadKeys } from './aes-gcm-codec.ts';

/** Settings for encoding all workflow data on its way to and from the engine. */
export const codecSettings = {
  PAYLOAD_KEYS: z
    .string()
    .refine(
      (text) => readPayloadKeys(text) !== null,
      'must be id:key, comma-separated, each key 32 bytes in Base64',
    )
    .optional()
    .describe('Keys that encrypt what Temporal stores, id:Base64,…: the first one encrypts, all decrypt.'),
  PAYLOAD_CODEC: z
    .string()
    .optional()
    .describe('Module with a codec of your own, used instead of PAYLOAD_KEYS (docs/operating.md).'),
};

const codecSchema = z.object(codecSettings);
export type CodecSettings = z.infer<typeof codecSchema>;

const codecModule = z.object({
  default: z.custom<PayloadCodec>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'encode' in value &&
      typeof value.encode === 'function' &&
      'decode' in value &&
      typeof value.decode === 'function',
  ),
});

/**
 * Loads the codecs shared by clients and workers; none if neither keys nor a module are set.
 * @throws if both are set, or the module exports no codec
 */
export async function loadPayloadCodecs(settings: CodecSettings): Promise<PayloadCodec[]> {
  const { PAYLOAD_KEYS: text, PAYLOAD_CODEC: path } = settings;
  const keys = text === undefined ? null : readPayloadKeys(text);
  if (path === undefined) return keys ? [createAesGcmCodec(keys)] : [];
  if (keys) throw new Error('Of PAYLOAD_KEYS and PAYLOAD_CODEC only one can be set.');
  const found = codecModule.safeParse(await import(pathToFileURL(resolve(path)).href));
  if (!found.success) throw new Error(`The module PAYLOAD_CODEC has no codec as its default export: ${path}`);
  return [found.data.default];
}
