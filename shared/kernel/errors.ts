/**
 * Errors that callers can get from any area: stable code → HTTP status. Those of one area are in its errors.ts. The message
 * belongs to each error, because it names the affected object and the remedy.
 */
export const kernelErrors = {
  bad_request: 400,
  already_exists: 400,
  invalid_parameters: 400,
  unreadable_file: 400,
  not_authenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  not_cancellable: 409,
  quota_exceeded: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid_input: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  engine_unavailable: 503,
  wrong_installation: 503,
  store_unavailable: 503,
  disk_unavailable: 503,
} as const;

export type KernelErrorCode = keyof typeof kernelErrors;

/** One problem of a request, as listed in 422 answers. */
export interface Problem {
  type: string;
  loc: (string | number)[];
  msg: string;
}

export interface ErrorDetails {
  /** Replaces the message in 422 answers. */
  problems?: readonly Problem[];
  /** Seconds, for the Retry-After header. */
  retryAfter?: number;
  /** Whether the failed service itself stated how long to wait, as a busy one does. */
  asksToWait?: boolean;
  cause?: unknown;
}

/** An error shown to the caller. `message` becomes `detail`. */
export class CalibronError extends Error {
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  readonly problems: readonly Problem[] | undefined;
  readonly retryAfter: number | undefined;
  readonly asksToWait: boolean;

  /** @param kind a code of the kernel; the classes of areas give code and status of their own */
  constructor(
    kind: KernelErrorCode | { code: string; status: number },
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'CalibronError';
    const { code, status } = typeof kind === 'string' ? { code: kind, status: kernelErrors[kind] } : kind;
    this.code = code;
    this.status = status;
    this.problems = details.problems;
    this.retryAfter = details.retryAfter;
    this.asksToWait = details.asksToWait ?? false;
  }
}

/** The class of the errors of one area. @param statuses stable code → HTTP status */
export function errorClass<Code extends string>(statuses: Readonly<Record<Code, number>>) {
  return class extends CalibronError {
    static readonly statuses = statuses;
    declare readonly code: Code;

    constructor(code: Code, message: string, details?: ErrorDetails) {
      super({ code, status: statuses[code] }, message, details);
    }
  };
}

/** Whether a caught value is an error of the kernel with one of these codes. */
export function isError(
  thrown: unknown,
  ...codes: KernelErrorCode[]
): thrown is CalibronError & { code: KernelErrorCode } {
  return thrown instanceof CalibronError && codes.some((code) => code === thrown.code);
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
