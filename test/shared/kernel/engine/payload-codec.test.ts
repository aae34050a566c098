import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode } from '@temporalio/common/lib/encoding.js';
import { expect, test } from 'vitest';
import { readSettings } from '../../../../shared/domain/settings.ts';
import { loadPayloadCodecs } from '../../../../shared/kernel/engine/payload-codec.ts';

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [spring, autumn] = [keyOf('spring'), keyOf('autumn')];

async function codecWith(...keys: string[]) {
  const [codec] = await loadPayloadCodecs(readSettings({ PAYLOAD_KEYS: keys.join(',') }));
  return codec ?? expect.fail('no codec');
}

const plain = () => ({ metadata: { encoding: encode('json/plain') }, data: encode('{"t1": 51.2}') });

const readable = (
  payload: { metadata?: Record<string, Uint8Array> | null; data?: Uint8Array | null } | undefined,
) => ({
  metadata: Object.fromEntries(
    Object.entries(payload?.metadata ?? {}).map(([name, value]) => [name, decode(value)]),
  ),
  data: decode(payload?.data ?? new Uint8Array()),
});

test('what is encrypted comes back whole, says with which key, and shows nothing of itself', async () => {
  const codec = await codecWith(spring);
  const sealed = await codec.encode([plain(), plain()]);
  for (const payload of sealed) {
    expect(readable(payload).metadata).toEqual({
      encoding: 'binary/encrypted',
      'encryption-key-id': 'spring',
    });
    expect(Buffer.from(payload.data ?? []).includes('t1')).toBe(false);
  }
  expect(sealed[0]?.data, 'a nonce of its own').not.toEqual(sealed[1]?.data);
  expect((await codec.decode(sealed)).map(readable)).toEqual([plain(), plain()].map(readable));
});

test('a key is changed by putting a new one before it: what was encrypted before is read all the same', async () => {
  const old = await (await codecWith(spring)).encode([plain()]);
  const codec = await codecWith(autumn, spring);
  expect((await codec.decode(old)).map(readable)).toEqual([plain()].map(readable));
  const [sealed] = await codec.encode([plain()]);
  expect(readable(sealed).metadata['encryption-key-id']).toBe('autumn');
});

test("what the Python package's codec encrypted is read", async () => {
  const codec = await codecWith(`2026:${Buffer.alloc(32).toString('base64')}`);
  const metadata = { encoding: encode('binary/encrypted'), 'encryption-key-id': encode('2026') };
  const data = Buffer.from(
    'IiD965pUtcih6czqs01hD7TRxaEx6ATy09N4JS1c0lUE7zDPKwZ0kpaLB6mqL0kAyKHuB4VrPPCKuLW8oavVLOgv',
    'base64',
  );
  expect((await codec.decode([{ metadata, data }])).map(readable)).toEqual([plain()].map(readable));
});

test('what was written before there was a key is read as it is', async () => {
  const codec = await codecWith(spring);
  expect((await codec.decode([plain()])).map(readable)).toEqual([plain()].map(readable));
});

test('what was changed on its way is refused, and a key that is missing is named', async () => {
  const [sealed] = await (await codecWith(spring)).encode([plain()]);
  const changed = Buffer.from(sealed?.data ?? []);
  changed[20] = (changed[20] ?? 0) ^ 1;
  await expect((await codecWith(spring)).decode([{ ...sealed, data: changed }])).rejects.toThrow();
  await expect((await codecWith(autumn)).decode([sealed ?? {}])).rejects.toThrow(/no key spring/);
});

test.each(['short:AAAA', 'spring', `${spring},`, `${spring},${spring}`, `sp ring:${'A'.repeat(43)}=`])(
  'keys that cannot be used are refused without being shown: %#',
  (text) => {
    expect(() => readSettings({ PAYLOAD_KEYS: text })).toThrow(
      /^The setting PAYLOAD_KEYS is wrong: must be id:key/,
    );
    const secret = text.split(':')[1];
    if (secret) expect(() => readSettings({ PAYLOAD_KEYS: text })).not.toThrow(secret);
  },
);

test('a laboratory brings a codec of its own as a module', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-codec-'));
  const path = join(directory, 'codec.mjs');
  await writeFile(path, 'export default { encode: async () => [], decode: async (payloads) => payloads };');
  const [codec] = await loadPayloadCodecs({ PAYLOAD_CODEC: path });
  expect(await codec?.encode([plain()])).toEqual([]);
  await writeFile(join(directory, 'other.mjs'), 'export default {};');
  await expect(loadPayloadCodecs({ PAYLOAD_CODEC: join(directory, 'other.mjs') })).rejects.toThrow(
    /has no codec/,
  );
  await expect(loadPayloadCodecs({ PAYLOAD_CODEC: path, PAYLOAD_KEYS: spring })).rejects.toThrow(/only one/);
  await rm(directory, { recursive: true, force: true });
});
