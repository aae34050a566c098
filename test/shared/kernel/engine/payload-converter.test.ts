import { createRequire } from 'node:module';
import { encode } from '@temporalio/common/lib/encoding.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataConverter } from '../../../../shared/kernel/engine/temporal.ts';
import { unreadableReason } from '../../../../shared/kernel/engine/unreadable.ts';
import { wellFormed, wellFormedJson } from '../../../../shared/kernel/text.ts';

const { payloadConverter } = createRequire(import.meta.url)(dataConverter.payloadConverterPath);
const json = (text: string) => ({ metadata: { encoding: encode('json/plain') }, data: encode(text) });

test('what the engine carries comes back as it was', () => {
  for (const value of [{ a: [1, 'b', null, true] }, 0, '', null, undefined]) {
    expect(payloadConverter.fromPayload(payloadConverter.toPayload(value))).toEqual(value);
  }
});

test.each(['NaN', 'Infinity', '-Infinity'])('a bare %s, as Python writes it, becomes a text', (word) => {
  const value = payloadConverter.fromPayload(json(`{"value": ${word}, "text": "a ${word} in a text"}`));
  expect(value).toEqual({ value: word, text: `a ${word} in a text` });
});

test.each(['{', 'not json', '{"value": NaN'])(
  'the payload %s becomes a value that says that it cannot be read, not an exception',
  (text) => {
    expect(unreadableReason(payloadConverter.fromPayload(json(text)))).toMatch(
      /^the answer is not valid JSON/,
    );
  },
);

test.each([
  {},
  { encoding: encode('') },
  { encoding: encode('json/protobuf') },
  { encoding: encode('nobody/knows') },
])(
  'a payload of the encoding %o becomes a value that says that it cannot be read, not an exception',
  (metadata) => {
    const value = payloadConverter.fromPayload({ metadata, data: encode('{}') });
    expect(unreadableReason(value)).toMatch(/^the answer has an unknown encoding/);
  },
);

test('a readable value is not taken for an unreadable one', () => {
  for (const value of [null, 'x', { targets: {} }, payloadConverter.fromPayload(json('{"a": 1}'))]) {
    expect(unreadableReason(value)).toBeNull();
  }
});

test('no half of a surrogate pair comes in or goes out, and whole pairs stay', () => {
  const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 20 });
  const value = fc.oneof(text, fc.dictionary(text, text, { maxKeys: 3 }), fc.array(text, { maxLength: 3 }));
  fc.assert(
    fc.property(value, (given) => {
      const wanted = JSON.parse(wellFormedJson(JSON.stringify(given)));
      expect(payloadConverter.fromPayload(payloadConverter.toPayload(given))).toEqual(wanted);
      const escaped = JSON.stringify(given).replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      expect(payloadConverter.fromPayload(json(escaped))).toEqual(wanted);
    }),
  );
});

test('a half that somebody wrote as bytes becomes a replacement character', () => {
  const bytes = Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22]);
  const value = payloadConverter.fromPayload({ metadata: json('').metadata, data: bytes });
  expect(value).toBe(wellFormed(value));
});

test('what is nested too deeply becomes a value that says so; brackets in texts count for nothing', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(unreadableReason(payloadConverter.fromPayload(json(nested(201))))).toMatch(
    /^the answer is nested too deeply/,
  );
  expect(unreadableReason(payloadConverter.fromPayload(json(nested(1_000_000))))).toMatch(/too deeply/);
  expect(unreadableReason(payloadConverter.fromPayload(json(nested(200))))).toBeNull();
  const text = `"\\"${'['.repeat(1000)}`;
  expect(payloadConverter.fromPayload(payloadConverter.toPayload([text]))).toEqual([text]);
});
