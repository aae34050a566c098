import { createRequire } from 'node:module';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { failureTypes } from '../../../../shared/kernel/engine/failure-types.ts';
import { dataConverter } from '../../../../shared/kernel/engine/temporal.ts';

const require = createRequire(import.meta.url);
const { payloadConverter } = require(dataConverter.payloadConverterPath);
const { failureConverter } = require(dataConverter.failureConverterPath);

const failureOf = (thrown: unknown) => failureConverter.errorToFailure(thrown, payloadConverter);
const messages = (failure: { message?: string; cause?: typeof failure }): (string | undefined)[] =>
  failure.cause ? [failure.message, ...messages(failure.cause)] : [failure.message];

const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 30 });

test('whatever text an error has, its failure is well-formed in message, trace, type and causes', () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (message, type, inner) => {
      const cause = new Error(inner);
      cause.stack = `Error: ${inner}`;
      const thrown = ApplicationFailure.create({ message, type, cause, details: [inner] });
      expect(JSON.stringify(failureOf(thrown))).not.toMatch(/\\ud[89a-f]/i);
      expect(JSON.stringify(failureOf(message))).not.toMatch(/\\ud[89a-f]/i);
    }),
  );
});

test('what an error says is kept, with its causes', () => {
  const thrown = new Error('outer', { cause: new Error('inner 𝜏') });
  expect(messages(failureOf(thrown))).toEqual(['outer', 'inner 𝜏']);
  const final = failureOf(ApplicationFailure.nonRetryable('no', 'Kind', { a: 1 }));
  expect(final.applicationFailureInfo).toMatchObject({ type: 'Kind', nonRetryable: true });
});

test('a failure that came from elsewhere is made well-formed when it is handed on', () => {
  const received = failureConverter.failureToError(
    { message: 'a\uD800', applicationFailureInfo: { type: 'b\uDC00' }, cause: { message: 'c\uD800' } },
    payloadConverter,
  );
  expect(failureOf(received)).toMatchObject({
    message: 'a\uFFFD',
    applicationFailureInfo: { type: 'b\uFFFD' },
    cause: { message: 'c\uFFFD' },
  });
});

test('an error of ten million characters, of endless causes or with details that cannot be written becomes a small failure', () => {
  const circle = new Error('turns in a circle');
  circle.cause = circle;
  const long = new Error('x'.repeat(10_000_000));
  const odd = ApplicationFailure.nonRetryable('kept', 'Kind', 1n);
  for (const thrown of [circle, long, odd]) {
    expect(JSON.stringify(failureOf(thrown)).length).toBeLessThan(1_000_000);
  }
  expect(failureOf(odd)).toMatchObject({
    message: 'kept',
    applicationFailureInfo: { type: 'Kind', nonRetryable: true },
  });
});

test('a value that cannot be written is an error that is not retried', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  let deep: unknown[] = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  for (const value of [1n, circle, deep, () => 1, Symbol('x')]) {
    expect(() => payloadConverter.toPayload(value)).toThrow(
      expect.objectContaining({ nonRetryable: true, type: failureTypes.encoding }),
    );
  }
});
