import { errorClass } from '../../kernel/errors.ts';

/** Errors of approvals, besides those of the kernel. */
export const ApprovalError = errorClass({
  already_answered: 409,
});
