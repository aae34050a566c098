import { errorClass } from '../../kernel/errors.ts';

/** Errors of the administration of accounts, besides those of the kernel. */
export const AdministrationError = errorClass({
  invalid_csv: 400,
  own_account: 400,
  last_administrator: 400,
});
