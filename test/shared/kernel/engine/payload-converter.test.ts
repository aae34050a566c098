import { createRequire } from 'node:module';
import { encode } from '@temporalio/common/lib/encoding.js';
import { expect, test } from 'vitest';
import { payloadConverterPath } from '../../../../shared/kernel/engine/temporal.ts';
import { unreadableReason } from '../../../../shared/kernel/engine/unreadable.ts';

const { payloadConverter } = createRequire(import.meta.url)(payloadConverterPath);
const json = (text: string) => ({ metadata: { encoding: encode('json/plain') }, data: encode(text) });

test('what the engine carries comes back as it was', () => {
  for (const value of [{ a: [1, 'b', null, true] }, 0, '', null, undefined]) {
    expect(payloadConverter.fromPayload(payloadConverter.toPayload(value))).toEqual(value);
  }
});

test.each(['{"value": NaN}', '{"value": Infinity}', '{', 'not json'])(
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
