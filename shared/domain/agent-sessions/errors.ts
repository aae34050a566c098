import { errorClass } from '../../kernel/errors.ts';

/** Errors of sessions of agents, besides those of the kernel. */
export const AgentSessionError = errorClass({
  stale_version: 409,
  session_closed: 409,
  not_ready: 409,
  candidate_refused: 409,
  value_changed: 409,
});
