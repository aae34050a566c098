import { test } from 'vitest';
test('slow', async () => { await new Promise((r) => setTimeout(r, 20000)); }, 60000);
