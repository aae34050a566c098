import { expect, test } from 'vitest';
import { whyNoStart } from '../../../../shared/domain/projects/starter-rules.ts';

test('owners and editors of a project start runs in it, and others learn why they may not', () => {
  const account = { disabled: false };
  expect(whyNoStart('ada', account, 'owner')).toBeNull();
  expect(whyNoStart('ada', account, 'editor')).toBeNull();
  expect(whyNoStart('ada', account, 'viewer')).toBe('ada may only read in this project.');
  expect(whyNoStart('ada', account, null)).toBe('ada is not a member of this project any more.');
  expect(whyNoStart('ada', { disabled: true }, 'owner')).toBe('The account ada is disabled.');
  expect(whyNoStart('ada', null, 'owner')).toBe('The account ada was deleted.');
});
