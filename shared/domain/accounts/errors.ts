import { errorClass } from '../../kernel/errors.ts';

/** Errors of accounts, besides those of the kernel. */
export const AccountError = errorClass({
  wrong_current_password: 400,
  wrong_credentials: 401,
  second_factor_required: 401,
  account_disabled: 403,
  admin_required: 403,
  insufficient_scope: 403,
  sign_in_required: 403,
  password_change_required: 403,
});
