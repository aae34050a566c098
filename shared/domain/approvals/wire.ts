import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { Approval, ApprovalDocument } from './model.ts';
import { approvalId } from './rules.ts';

/** Converts a stored approval to the API's format. */
export function approvalOf(document: ApprovalDocument): Approval {
  return {
    approval_id: approvalId(document),
    execution_id: document.execution_id,
    question: document.question,
    options: document.options,
    default: document.default,
    deadline: isoTime(document.deadline),
    status: document.status,
    answer: document.answer,
    answered_by: document.answered_by,
    answered_at: isoTimeOrNull(document.answered_at),
  };
}
