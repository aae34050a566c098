import { errorClass } from '../../kernel/errors.ts';

/** Errors of system updates, besides those of the kernel. */
export const UpdateError = errorClass({
  update_blocked: 409,
  updater_unavailable: 503,
});
