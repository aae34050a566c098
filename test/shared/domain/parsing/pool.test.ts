import { afterAll, beforeAll, expect, test } from 'vitest';
import { createParsingPool, type ParsingPool } from '../../../../shared/domain/parsing/pool.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';

let pool: ParsingPool;

beforeAll(() => {
  pool = createParsingPool({ slowestJobMs: 4000 });
});
afterAll(() => pool.destroy());

const check = (text: string) => pool.run({ kind: 'syntax', text, textKind: 'yaml' });

test('more work than can wait is refused, and the rest is done', async () => {
  const results = await Promise.allSettled(Array.from({ length: 150 }, () => check('a: 1')));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(150);
  for (const reason of refused) {
    expect(reason).toBeInstanceOf(CalibronError);
    expect(reason).toMatchObject({ code: 'too_many_requests', retryAfter: 5 });
  }
  expect(await check('a: 1')).toEqual({ problem: null });
});

test('a text that needs more time or memory than a thread has ends the thread, not the process', async () => {
  const anchors = '&a '.repeat(300_000);
  const answers = await Promise.all([check(anchors), check(anchors), check('a: [')]);
  expect(answers[0]).toEqual({ problem: 'reading it takes too much time or memory' });
  expect(answers[2]).toMatchObject({ problem: expect.stringContaining('line 1') });
  expect(await check('a: 1')).toEqual({ problem: null });
});

test('a descriptor that is closed is a failure of the service, not of the file', async () => {
  await expect(pool.run({ kind: 'preview', descriptor: 99_999, size: 10, filename: 'a.nc' })).rejects.toThrow(
    'EBADF',
  );
});
