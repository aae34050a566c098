// CommonJS, because the SDK loads a failure converter by require() in the worker and bundles it for workflows.
const { ApplicationFailure, DefaultFailureConverter } = require('@temporalio/common');

/** Maximum length of a chain of causes. The protocol refuses messages nested deeper than 100 levels. */
const CAUSES = 20;
/** Maximum characters of a message, and of a stack trace. With all causes, a failure stays below 4 MB, the limit of a call. */
const TEXT = 20_000;

/** Converts to well-formed text: a lone surrogate makes the SDK's core terminate the whole worker. */
function textOf(text) {
  return text.slice(0, TEXT).toWellFormed();
}

function bound(failure, depth) {
  for (const name of ['message', 'stackTrace', 'source']) {
    if (typeof failure[name] === 'string') failure[name] = textOf(failure[name]);
  }
  for (const info of Object.values(failure)) {
    if (typeof info?.type === 'string') info.type = textOf(info.type);
  }
  if (!failure.cause) return;
  if (depth === CAUSES) failure.cause = undefined;
  else bound(failure.cause, depth + 1);
}

/** Converts any error to a failure that the engine can store, whatever its text. */
class BoundedFailureConverter extends DefaultFailureConverter {
  errorToFailure(error, ...rest) {
    const failure = this.#converted(error, rest);
    bound(failure, 1);
    return failure;
  }

  /** If the details cannot be serialised, or the error is its own cause, the message is kept. */
  #converted(error, rest) {
    try {
      return super.errorToFailure(error, ...rest);
    } catch (problem) {
      const { message, type, nonRetryable } = error ?? {};
      const plain = { message: String(message ?? problem.message), type, nonRetryable };
      return super.errorToFailure(ApplicationFailure.create(plain), ...rest);
    }
  }
}

exports.failureConverter = new BoundedFailureConverter();
