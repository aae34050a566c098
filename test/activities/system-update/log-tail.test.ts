import { expect, test } from 'vitest';
import { createLogTail } from '../../../activities/system-update/log-tail.ts';

test('secrets of the environment and credentials in addresses are shown nowhere', () => {
  const tail = createLogTail({
    MONGODB_PASSWORD: 'hunter2-hunter2',
    GITHUB_TOKEN: 'ghp_0123456789',
    PAYLOAD_KEYS: '2026:c2VjcmV0',
    PATH: '/usr/bin',
    SHORT_TOKEN: 'ok',
    TLS_KEY: '-----BEGIN KEY-----\nMIIEvQIBADAN\n-----END KEY-----\n',
  });
  tail.add('MIIEvQIBADAN');
  tail.add('login hunter2-hunter2 with ghp_0123456789 and 2026:c2VjcmV0, /usr/bin, ok');
  tail.add('cloning https://ada:pass@example.org/x.git and mongodb://root:pw@db/admin');
  expect(tail.lines()).toEqual([
    '…',
    'login … with … and …, /usr/bin, ok',
    'cloning https://…@example.org/x.git and mongodb://…@db/admin',
  ]);
});

test('of many lines the newest hundred are kept, each cut and without what only a terminal reads', () => {
  const tail = createLogTail({}, ['of an earlier attempt']);
  expect(tail.lines()).toEqual(['of an earlier attempt']);
  for (let index = 0; index < 150; index += 1) tail.add(`\u001b[31mline ${index}\u001b[0m\u0007`);
  expect(tail.lines()).toHaveLength(100);
  expect([tail.lines()[0], tail.lines()[99]]).toEqual(['line 50', 'line 149']);
  tail.add('x'.repeat(10_000));
  expect(tail.lines()[99]).toHaveLength(500);
});
