import { errorClass } from '../../kernel/errors.ts';

/** Errors of the workers that serve backends, besides those of the kernel. */
export const BackendWorkerError = errorClass({
  no_worker: 409,
});
