import { errorClass } from '../../kernel/errors.ts';

/** Errors of runs, besides those of the kernel. */
export const RunError = errorClass({
  project_busy: 409,
  not_running: 409,
  already_paused: 409,
  not_paused: 409,
  idempotency_conflict: 409,
});
