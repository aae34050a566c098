import { APICallError, RetryError } from 'ai';
import { CalibronError } from '../../kernel/errors.ts';
import { ModelError } from './errors.ts';

/** Seconds after which a caller may retry a model that is unavailable. */
const RETRY_AFTER = 30;

/**
 * Converts a failed call to the error that callers get. It contains neither the server's message nor a cause, because
 * servers repeat keys and prompts in their messages.
 */
export function modelFailure(thrown: unknown, model: string): CalibronError {
  if (thrown instanceof CalibronError) return thrown;
  const last = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  if (isTimeout(last)) return unavailable(`${model} did not answer in time; try again or raise its timeout.`);
  if (!APICallError.isInstance(last)) {
    return new ModelError('model_failed', `The answer of ${model} broke off or cannot be read; try again.`);
  }
  const { statusCode: status, responseHeaders } = last;
  if (status === undefined) return unavailable(`${model} cannot be reached; try again.`);
  if (status === 429) {
    return busy(`${model} refuses more questions for now (429).`, responseHeaders);
  }
  if (status === 401 || status === 403) {
    return new ModelError('model_failed', `${model} refuses its key (${status}); an operator sets it.`);
  }
  if (status >= 500) {
    const message = `${model} is out of order (${status}).`;
    return responseHeaders?.['retry-after'] === undefined
      ? unavailable(message)
      : busy(message, responseHeaders);
  }
  return new ModelError('model_failed', `${model} refused the question (${status}).`);
}

function unavailable(message: string, retryAfter = RETRY_AFTER): CalibronError {
  return new ModelError('model_unavailable', message, { retryAfter });
}

/** The error for a model that is temporarily overloaded. */
function busy(message: string, headers: Record<string, string> | undefined): CalibronError {
  return new ModelError('model_unavailable', message, {
    retryAfter: secondsOf(headers),
    asksToWait: true,
  });
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === 'TimeoutError' || thrown.name === 'AbortError');
}

/** Seconds that a server asks to wait, at most one hour. */
function secondsOf(headers: Record<string, string> | undefined): number {
  const asked = Number(headers?.['retry-after'] ?? Number.NaN);
  return Number.isFinite(asked) ? Math.min(Math.max(Math.ceil(asked), 0), 3600) : RETRY_AFTER;
}
