import { type ExecutionId, executionIdSchema } from '../../kernel/ids.ts';
import type { ApprovalAnswer } from '../flows/model.ts';
import type { ApprovalDocument } from './model.ts';

/** Id of an approval inside its project: the execution and the position of the command. */
export function approvalId({
  execution_id,
  index,
}: Pick<ApprovalDocument, 'execution_id' | 'index'>): string {
  return `${execution_id}-${index}`;
}

/** Execution and command of an approval id; null if malformed. */
export function parseApprovalId(id: string): { execution_id: ExecutionId; index: number } | null {
  const match = /^(\d{8}-\d{3,9})-(0|[1-9]\d{0,5})$/.exec(id);
  return match?.[1] && match[2]
    ? { execution_id: executionIdSchema.parse(match[1]), index: Number(match[2]) }
    : null;
}

/** What a flow receives for a question that is no longer open. */
export function answerOfApproval(document: ApprovalDocument): ApprovalAnswer {
  return {
    kind: 'approval',
    answer: document.answer ?? document.default,
    answered_by: document.answered_by,
    expired: document.status !== 'answered',
  };
}
