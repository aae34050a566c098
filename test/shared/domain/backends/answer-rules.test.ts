import { expect, test } from 'vitest';
import {
  backendErrorMessage,
  oversizeProblem,
  RESULT_LIMIT,
} from '../../../../shared/domain/backends/answer-rules.ts';

test('an answer has at most 64 KB', () => {
  expect(RESULT_LIMIT).toBe(65_536);
  expect(oversizeProblem(65_536)).toBeNull();
  expect(oversizeProblem(65_537)).toBe(
    "The backend's answer has 65537 bytes; at most 65536 are allowed. Larger data goes to dataset_path.",
  );
});

test('an error says that it comes from the backend, once', () => {
  expect(backendErrorMessage('no trigger')).toBe('The backend reported an error: no trigger');
  expect(backendErrorMessage('The backend is off.')).toBe('The backend is off.');
  expect(backendErrorMessage('x'.repeat(3000))).toBe(`The backend reported an error: ${'x'.repeat(2000)}`);
});
