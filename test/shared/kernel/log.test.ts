import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from '../../../shared/kernel/log.ts';

test('secrets never reach the log', () => {
  let text = '';
  const log = createLog(
    'test',
    'info',
    new Writable({
      write: (chunk, _encoding, done) => {
        text += chunk;
        done();
      },
    }),
  );
  log.info(
    { password: 'hunter2', request: { authorization: 'Bearer abc', body: { token: 'xyz' } } },
    'hello',
  );
  expect(text).toContain('hello');
  for (const secret of ['hunter2', 'Bearer abc', 'xyz']) expect(text).not.toContain(secret);
});
