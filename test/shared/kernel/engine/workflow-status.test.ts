import { expect, test } from 'vitest';
import { isOpenWorkflow } from '../../../../shared/kernel/engine/workflow-status.ts';

test('a paused workflow is open as a running one is, and so is one whose state is unclear', () => {
  for (const status of ['RUNNING', 'PAUSED', 'UNSPECIFIED', 'UNKNOWN'] as const) {
    expect(isOpenWorkflow(status)).toBe(true);
  }
  const closed = ['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT', 'CONTINUED_AS_NEW'] as const;
  for (const status of closed) expect(isOpenWorkflow(status)).toBe(false);
});
