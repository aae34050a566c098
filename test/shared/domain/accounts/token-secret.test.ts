import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tokenSecret } from '../../../../shared/domain/accounts/tokens.ts';

test('processes that start together agree on the key that signs tokens', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-secret-'));
  try {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => tokenSecret(undefined, directory)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(directory)).toEqual(['token-secret']);
    expect(await tokenSecret('given', directory)).toBe('given');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
