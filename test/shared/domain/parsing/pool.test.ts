import { afterAll, beforeAll, expect, test } from 'vitest';
import { createParsingPool, type ParsingPool } from '../../../../shared/domain/parsing/pool.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';

let pool: ParsingPool;

beforeAll(() => {
  pool = createParsingPool({ processorMs: 500 });
});
afterAll(() => pool.destroy());

let asked = 0;
/** Each time for somebody else. */
function check(text: string) {
  asked += 1;
  return pool.run({ kind: 'syntax', text, textKind: 'yaml' }, { kind: 'user', id: `user ${asked}` });
}

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
  const answers = await Promise.all([check(anchors), check(anchors)]);
  expect(answers[0]).toEqual({ problem: 'reading it takes too much time or memory' });
  expect(await check('a: [')).toMatchObject({ problem: expect.stringContaining('line 1') });
  expect(await check('a: 1')).toEqual({ problem: null });
});

test('the time of a job is that of its own work: no thread that starts slowly takes of it', async () => {
  const quick = createParsingPool({ processorMs: 100 });
  const answer = await quick.run(
    { kind: 'syntax', text: 'a: 1', textKind: 'yaml' },
    { kind: 'user', id: 'ada' },
  );
  expect(answer).toEqual({ problem: null });
  await quick.destroy();
});

test('users take turns, and each has a limited number of jobs', async () => {
  const job = { kind: 'syntax', text: '&a '.repeat(500), textKind: 'yaml' } as const;
  const order: string[] = [];
  const ask = (id: string) => pool.run(job, { kind: 'user', id }).then(() => order.push(id));
  const eager = Array.from({ length: 10 }, () => ask('eager'));
  await Promise.all([ask('modest'), ...eager]);
  // Two threads were taken, and of those who waited the other asker came second at the latest.
  expect(order.indexOf('modest')).toBeLessThan(5);
  const many = await Promise.allSettled(Array.from({ length: 60 }, () => ask('eager')));
  // Two of them have a thread, and fifty wait.
  expect(many.filter(({ status }) => status === 'rejected')).toHaveLength(8);
});

test('a descriptor that is closed is a failure of the service, not of the file', async () => {
  const job = { kind: 'preview', descriptor: 99_999, size: 10, filename: 'a.nc' } as const;
  await expect(pool.run(job, { kind: 'user', id: 'ada' })).rejects.toThrow('EBADF');
});
