import { errorClass } from '../../kernel/errors.ts';

/** Errors of the gate between runs and updates, besides those of the kernel. */
export const UpdateGateError = errorClass({
  update_running: 409,
});
