import { expect, test } from 'vitest';
import { closedBeyondLoopback } from '../../../scripts/start/beyond-loopback.ts';

test('on loopback nothing is closed', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    expect(closedBeyondLoopback(host, {})).toEqual({});
  }
});

test('beyond loopback files need a token, the configuration an administrator, and invites conceal, unless set otherwise', () => {
  const closed = { ARTIFACT_ACCESS: 'token', CONFIG_WRITE: 'admin', INVITE_STRANGERS: 'concealed' };
  for (const host of ['0.0.0.0', '::', '10.0.0.7', 'lab.example.org']) {
    expect(closedBeyondLoopback(host, { CONFIG_WRITE: '' })).toEqual(closed);
  }
  expect(closedBeyondLoopback('0.0.0.0', { ARTIFACT_ACCESS: 'open' })).toEqual({
    ...closed,
    ARTIFACT_ACCESS: 'open',
  });
});
