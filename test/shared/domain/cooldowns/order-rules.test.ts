import { expect, test } from 'vitest';
import { assertInOrder } from '../../../../shared/domain/cooldowns/rules.ts';

const [earlier, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
const check = (from: Date | null, to: Date | null) =>
  assertInOrder({ name: 'started_at', at: from }, { name: 'ended_at', at: to });

test('an end is not before its start', () => {
  for (const [from, to] of [
    [earlier, later],
    [earlier, earlier],
    [null, earlier],
    [later, null],
  ] as const)
    expect(() => check(from, to)).not.toThrow();
  expect(() => check(later, earlier)).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      message: 'ended_at should not be before started_at.',
      problems: [
        { type: 'value_error', loc: ['body', 'ended_at'], msg: 'Input should not be before started_at' },
      ],
    }),
  );
});
