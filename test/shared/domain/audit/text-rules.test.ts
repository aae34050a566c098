import { expect, test } from 'vitest';
import { auditText } from '../../../../shared/domain/audit/text-rules.ts';

test('a text of the audit trail has at most 300 characters, none of them a control character', () => {
  expect(auditText('x'.repeat(300))).toBe('x'.repeat(300));
  expect(auditText('x'.repeat(301))).toHaveLength(300);
  expect(auditText('one\ntwo\u0000three')).toBe('one two three');
});
