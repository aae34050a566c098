// CommonJS, because the SDK loads a failure converter by require() in the worker and bundles it for workflows.
const { ApplicationFailure, DefaultFailureConverter } = require('@temporalio/common');

/** Failures within each other; the protocol refuses more than 100 messages within each other. */
const CAUSES = 20;
/** Characters of a message, and of a stack trace. With those of all causes a failure stays below 4 MB, which a call carries. */
const TEXT = 20_000;

/** A text of UTF-8 proper: the SDK's core ends the whole worker over half a surrogate pair. */
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

/** Makes of any error a failure that the engine can hold, whatever text it came with. */
class BoundedFailureConverter extends DefaultFailureConverter {
  errorToFailure(error, ...rest) {
    const failure = this.#converted(error, rest);
    bound(failure, 1);
    return failure;
  }

  /** An error whose details cannot be written, or that is its own cause, still has its message. */
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
