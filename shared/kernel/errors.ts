/**
 * All errors that a caller can get: stable code → HTTP status. The message belongs to each error, because it names the
 * affected object and the remedy.
 */
export const errorStatus = {
  bad_request: 400,
  project_required: 400,
  already_exists: 400,
  invalid_flow: 400,
  invalid_parameters: 400,
  invalid_csv: 400,
  wrong_current_password: 400,
  own_account: 400,
  last_administrator: 400,
  owner_membership: 400,
  invalid_configuration: 400,
  unknown_model: 400,
  model_not_allowed: 400,
  unreadable_file: 400,
  not_authenticated: 401,
  wrong_credentials: 401,
  second_factor_required: 401,
  sign_in_refused: 401,
  account_disabled: 403,
  admin_required: 403,
  forbidden: 403,
  insufficient_scope: 403,
  sign_in_required: 403,
  password_change_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  project_busy: 409,
  no_worker: 409,
  not_cancellable: 409,
  not_running: 409,
  already_paused: 409,
  not_paused: 409,
  already_answered: 409,
  idempotency_conflict: 409,
  quota_exceeded: 409,
  stale_version: 409,
  session_closed: 409,
  not_ready: 409,
  candidate_refused: 409,
  value_changed: 409,
  update_running: 409,
  update_blocked: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid_input: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  model_failed: 502,
  engine_unavailable: 503,
  wrong_installation: 503,
  store_unavailable: 503,
  disk_unavailable: 503,
  repository_unavailable: 503,
  ai_disabled: 503,
  model_unavailable: 503,
  updater_unavailable: 503,
  identity_provider_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** One problem of a request, as listed in 422 answers. */
export interface Problem {
  type: string;
  loc: (string | number)[];
  msg: string;
}

/**
 * An error shown to the caller. `message` becomes `detail`; in 422 answers `problems` replaces it. `retryAfter` (seconds)
 * becomes the Retry-After header.
 */
export class CalibronError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly Problem[] | undefined;
  readonly retryAfter: number | undefined;
  /** Whether the failed service itself stated how long to wait, as a busy one does. */
  readonly asksToWait: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    extra: {
      problems?: readonly Problem[];
      retryAfter?: number;
      asksToWait?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: extra.cause });
    this.name = 'CalibronError';
    this.code = code;
    this.problems = extra.problems;
    this.retryAfter = extra.retryAfter;
    this.asksToWait = extra.asksToWait ?? false;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
