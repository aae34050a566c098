import { expect, test } from 'vitest';
import { answerOfApproval, approvalId, parseApprovalId } from '../../../../shared/domain/approvals/rules.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { executionNamed } from '../../../support/ids.ts';

const execution_id = executionNamed('20260102-003');

test('an id contains the execution and the position of the command', () => {
  for (const index of [0, 7, 999_999]) {
    const id = approvalId({ execution_id, index });
    expect(id).toBe(`20260102-003-${index}`);
    expect(parseApprovalId(id)).toEqual({ execution_id, index });
  }
});

test.each([
  '',
  '20260102-003',
  '20260102-003-',
  '20260102-003-01',
  '20260102-003-1000000',
  '20260102-03-1',
  '2026010-003-1',
  '20260102-0123456789-1',
  ' 20260102-003-1',
  '20260102-003-1 ',
])('%j is no id of an approval', (id) => {
  expect(parseApprovalId(id)).toBeNull();
});

const approval = {
  _id: '',
  project_id: newProjectId(),
  execution_id,
  index: 0,
  flow_run_id: '',
  question: 'Go on?',
  options: ['yes', 'no'],
  default: 'no',
  deadline: new Date(0),
  answered_at: null,
  created_at: new Date(0),
};

test('a flow receives the answer, or the default after the deadline', () => {
  expect(answerOfApproval({ ...approval, status: 'answered', answer: 'yes', answered_by: 'mia' })).toEqual({
    kind: 'approval',
    answer: 'yes',
    answered_by: 'mia',
    expired: false,
  });
  expect(answerOfApproval({ ...approval, status: 'expired', answer: null, answered_by: null })).toEqual({
    kind: 'approval',
    answer: 'no',
    answered_by: null,
    expired: true,
  });
});
