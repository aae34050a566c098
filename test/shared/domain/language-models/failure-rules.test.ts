import { APICallError, RetryError } from 'ai';
import { expect, test } from 'vitest';
import { modelFailure } from '../../../../shared/domain/language-models/failure-rules.ts';
import { CalibronError } from '../../../../shared/kernel/errors.ts';

function refused(statusCode?: number, retryAfter?: string) {
  return new APICallError({
    message: 'secret',
    url: 'https://models.example',
    requestBodyValues: {},
    ...(statusCode !== undefined && { statusCode }),
    ...(retryAfter !== undefined && { responseHeaders: { 'retry-after': retryAfter } }),
  });
}
const named = (name: string) => Object.assign(new Error('secret'), { name });
const failure = (thrown: unknown) => modelFailure(thrown, 'lab/gpt');

test.each([
  [
    named('TimeoutError'),
    'model_unavailable',
    'lab/gpt did not answer in time; try again or raise its timeout.',
  ],
  [
    named('AbortError'),
    'model_unavailable',
    'lab/gpt did not answer in time; try again or raise its timeout.',
  ],
  [named('Error'), 'model_failed', 'The answer of lab/gpt broke off or cannot be read; try again.'],
  ['text', 'model_failed', 'The answer of lab/gpt broke off or cannot be read; try again.'],
  [refused(), 'model_unavailable', 'lab/gpt cannot be reached; try again.'],
  [refused(429), 'model_unavailable', 'lab/gpt refuses more questions for now (429).'],
  [refused(401), 'model_failed', 'lab/gpt refuses its key (401); an operator sets it.'],
  [refused(403), 'model_failed', 'lab/gpt refuses its key (403); an operator sets it.'],
  [refused(499), 'model_failed', 'lab/gpt refused the question (499).'],
  [refused(500), 'model_unavailable', 'lab/gpt is out of order (500).'],
  [refused(503, '5'), 'model_unavailable', 'lab/gpt is out of order (503).'],
])('%s: %s, %s', (thrown, code, message) => {
  expect(failure(thrown)).toMatchObject({ code, message });
  expect(failure(thrown).cause).toBeUndefined();
});

test('the last of several attempts counts', () => {
  const errors = [refused(500), refused(401)];
  const retried = new RetryError({ message: '', reason: 'maxRetriesExceeded', errors });
  expect(failure(retried).message).toBe('lab/gpt refuses its key (401); an operator sets it.');
});

test('an error of ours is passed on', () => {
  const own = new CalibronError('not_found', 'There is no such model.');
  expect(failure(own)).toBe(own);
});

test('the caller waits as long as the server asks, at most an hour', () => {
  const waitOf = (status: number | undefined, asked?: string) => failure(refused(status, asked));
  expect(waitOf(429, '1.2')).toMatchObject({ retryAfter: 2, asksToWait: true });
  expect(waitOf(503, '-3')).toMatchObject({ retryAfter: 0, asksToWait: true });
  expect(waitOf(429, '9999')).toMatchObject({ retryAfter: 3600 });
  for (const asked of [undefined, 'Wed, 21 Oct 2026 07:28:00 GMT'])
    expect(waitOf(429, asked)).toMatchObject({ retryAfter: 30, asksToWait: true });
  expect(waitOf(500)).toMatchObject({ retryAfter: 30 });
  expect(waitOf(500)).toMatchObject({ asksToWait: false });
  expect(waitOf(undefined)).toMatchObject({ retryAfter: 30 });
});
