import { errorClass } from '../../kernel/errors.ts';

/** Errors of backends and their workers, besides those of the kernel. */
export const BackendError = errorClass({
  no_worker: 409,
});
