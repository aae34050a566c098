import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyOf, newKey, seal, unseal } from '../../../scripts/backup/encryption.ts';

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The same bytes in pieces of this size, as a file may be read. */
const inPieces = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

test.each([0, 1, 15, 16, 17, 100_000])(
  '%i bytes are the same after encryption, in pieces of any size',
  async (length) => {
    const key = randomBytes(32);
    const content = randomBytes(length);
    const sealed = await bytesOf(seal(inPieces(content, 1000), key));
    for (const size of [1, 7, 28, 65_536]) {
      if (length / size > 10_000) continue;
      expect((await bytesOf(unseal(inPieces(sealed, size), key))).equals(content)).toBe(true);
    }
  },
);

test('what was changed, cut off or encrypted with another key is refused', async () => {
  const key = randomBytes(32);
  const sealed = await bytesOf(seal([randomBytes(1000)], key));
  const changed = Buffer.from(sealed);
  changed[500] = (changed[500] ?? 0) ^ 1;
  await expect(bytesOf(unseal([changed], key))).rejects.toThrow();
  await expect(bytesOf(unseal([sealed.subarray(0, 900)], key))).rejects.toThrow();
  await expect(bytesOf(unseal([sealed.subarray(0, 20)], key))).rejects.toThrow('cut off');
  await expect(bytesOf(unseal([sealed], randomBytes(32)))).rejects.toThrow();
});

test('the passphrase gives the same key again, and a wrong one is noticed', async () => {
  const { key, parameters } = await newKey('correct horse battery');
  expect((await keyOf('correct horse battery', parameters)).equals(key)).toBe(true);
  await expect(keyOf('correct horse batterz', parameters)).rejects.toThrow('not the one of these backups');
  expect(JSON.stringify(parameters)).not.toContain('horse');
});
