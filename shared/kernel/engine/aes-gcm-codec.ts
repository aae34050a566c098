import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding.js';
import proto from '@temporalio/proto';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

/** Keys by id, in the configured order. */
export type PayloadKeys = ReadonlyMap<string, Buffer>;

/**
 * Parses `id:Base64,id:Base64`.
 * @returns the keys, or null if the text has another format or a key is not 32 bytes long
 */
export function readPayloadKeys(text: string): PayloadKeys | null {
  const keys = new Map<string, Buffer>();
  for (const part of text.split(',')) {
    const [, id, base64] = /^\s*([\w.-]+):([A-Za-z0-9+/]+=*)\s*$/.exec(part) ?? [];
    const key = Buffer.from(base64 ?? '', 'base64');
    if (id === undefined || key.length !== KEY_BYTES || keys.has(id)) return null;
    keys.set(id, key);
  }
  return keys;
}

/**
 * Encrypts payloads with the first key and decrypts with any of the keys, so that keys can be rotated while runs are open.
 * Payloads without encryption are returned unchanged. The format is that of Temporal's own samples in all languages: a
 * nonce of 12 bytes, the whole payload encrypted with AES-256-GCM, and the authentication tag of 16 bytes.
 */
export function createAesGcmCodec(keys: PayloadKeys): PayloadCodec {
  const [first] = keys;
  if (first === undefined) throw new Error('a codec needs a key');
  const [id, key] = first;

  function encrypt(payload: Payload): Payload {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce);
    const body = cipher.update(PayloadMessage.encode(payload).finish());
    return {
      metadata: { encoding: encode(ENCODING), [KEY_ID]: encode(id) },
      data: Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]),
    };
  }

  function decrypt(payload: Payload): Payload {
    const { metadata, data } = payload;
    if (!metadata?.['encoding'] || decode(metadata['encoding']) !== ENCODING) return payload;
    const name = metadata[KEY_ID] ? decode(metadata[KEY_ID]) : '';
    const known = keys.get(name);
    if (known === undefined)
      throw new Error(`PAYLOAD_KEYS has no key ${name}, with which this was encrypted`);
    const bytes = Buffer.from(data ?? []);
    const decipher = createDecipheriv(CIPHER, known, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return PayloadMessage.decode(Buffer.concat([body, decipher.final()]));
  }

  return {
    encode: async (payloads) => payloads.map(encrypt),
    decode: async (payloads) => payloads.map(decrypt),
  };
}
